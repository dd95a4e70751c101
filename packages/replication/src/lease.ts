import { randomUUID } from "node:crypto";
import { pause, steadyTime } from "@cambium/primitives";
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamState,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { headersOf } from "./connection.js";
import { isMissing } from "./open-stream.js";
import type { SealedStream } from "./seal.js";

/** Milliseconds after which a lease without renewal ends, between renewals, and until a renewal fails. */
const LEASE_TIME = 3_000;
const RENEWAL = 500;
const ANSWER_TIME = 1_000;

export interface LeaseOptions {
  address: SealedStream;
  /** Returns the connection; undefined until NATS has been reached. */
  connection: () => NatsConnection | undefined;
  /** Number of NATS servers that keep the lease. */
  redundancy: number;
}

/** The latest value of the bucket. `owner` is undefined if the value has no valid seal. */
interface Holder {
  revision: number;
  owner: string | undefined;
}

/**
 * Determines which node may publish to a stream: its name is the value of the only key of a JetStream key-value bucket,
 * `<stream>-lease`. The value expires with its age. Each change names the revision that it replaces, so that of two
 * nodes only one succeeds. A value without a valid seal for its revision is ignored, and the holder replaces it.
 */
export class Lease {
  /** Called if another node gets the lease after this node held it. */
  lost: () => void = () => undefined;
  private readonly owner = randomUUID();
  private revision: number | undefined;
  /** Time at which a value without a seal was first seen, if no sealed value was seen since. */
  private foreignSince: number | undefined;
  private stopped = new AbortController();
  private renewing: Promise<void> = Promise.resolve();

  constructor(private readonly options: LeaseOptions) {}

  /** Whether this node holds the lease, as far as it knows: while NATS is unreachable, another node may have got it. */
  get isHeld(): boolean {
    return this.revision !== undefined;
  }

  /** Tries to get the lease, and then renews it regularly. Rejects if NATS does not answer. */
  async acquire(): Promise<boolean> {
    const state = await this.bucket();
    if (state.messages > 0 && !(await this.isAbandoned())) return false;
    this.foreignSince = undefined;
    this.revision = await this.put(state.last_seq);
    if (this.revision === undefined) return false;
    this.stopped = new AbortController();
    this.renewing = this.renew(this.stopped.signal);
    return true;
  }

  /** Ends the lease immediately, so that another node can have it. Never rejects. */
  async release(): Promise<void> {
    this.stopped.abort();
    await this.renewing;
    const { revision } = this;
    this.revision = undefined;
    if (revision === undefined) return;
    const manager = await this.manager().catch(() => undefined);
    await manager?.streams.purge(this.stream, { seq: revision + 1 }).catch(() => undefined);
  }

  /** Whether unsealed values have lasted so long that a holder would have replaced them. */
  private async isAbandoned(): Promise<boolean> {
    const holder = await this.holder();
    if (holder === undefined || holder.owner !== undefined) {
      this.foreignSince = undefined;
      return holder === undefined;
    }
    this.foreignSince ??= steadyTime();
    return steadyTime() - this.foreignSince > LEASE_TIME;
  }

  private get stream(): string {
    return `KV_${this.options.address.stream}-lease`;
  }

  private get subject(): string {
    return `$KV.${this.options.address.stream}-lease.writer`;
  }

  private get connection(): NatsConnection {
    const connection = this.options.connection();
    if (connection === undefined || connection.isClosed()) throw new Error("not connected to NATS");
    return connection;
  }

  private async manager(): Promise<JetStreamManager> {
    return jetstreamManager(this.connection, { checkAPI: false, timeout: ANSWER_TIME });
  }

  private async bucket(): Promise<StreamState> {
    const manager = await this.manager();
    try {
      return (await manager.streams.info(this.stream)).state;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const created = await manager.streams.add({
      name: this.stream,
      subjects: [this.subject],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_msgs_per_subject: 1,
      max_age: nanos(LEASE_TIME),
      duplicate_window: nanos(LEASE_TIME),
      num_replicas: this.options.redundancy,
    });
    return created.state;
  }

  /** Writes a value. Returns the new revision; undefined if the present revision is not `expected`. */
  private async put(expected: number): Promise<number | undefined> {
    const client = jetstream(this.connection, { timeout: ANSWER_TIME });
    const headers = this.options.address.seal.headers("lease", [expected + 1], this.owner);
    try {
      const { seq } = await client.publish(this.subject, this.owner, {
        headers,
        expect: { lastSequence: expected },
        timeout: ANSWER_TIME,
        retries: 1,
      });
      return seq;
    } catch (error) {
      if (hasCode(error, JetStreamApiCodes.StreamWrongLastSequence)) return undefined;
      throw error;
    }
  }

  private async renew(signal: AbortSignal): Promise<void> {
    for (;;) {
      await pause(RENEWAL, signal);
      if (signal.aborted) return;
      // While NATS does not answer, no other node can get the lease, or this node notices it later.
      const revision = await this.renewed().catch(() => this.revision);
      if (signal.aborted) return;
      this.revision = revision;
      if (revision !== undefined) continue;
      this.lost();
      return;
    }
  }

  private async renewed(): Promise<number | undefined> {
    const revision = await this.put(this.revision!);
    if (revision !== undefined) return revision;
    const holder = await this.holder();
    // This node's own renewal, whose acknowledgement was lost.
    if (holder?.owner === this.owner) return holder.revision;
    if (holder === undefined || holder.owner !== undefined) return undefined;
    return (await this.put(holder.revision)) ?? this.revision;
  }

  /** Reads the latest value; undefined if there is none. */
  private async holder(): Promise<Holder | undefined> {
    const message = await (await this.manager()).streams.getMessage(this.stream, { last_by_subj: this.subject });
    if (message === null) return undefined;
    const { seq: revision, data } = message;
    const isSealed = this.options.address.seal.isIn(
      headersOf(() => message.header),
      "lease",
      [revision],
      data,
    );
    return { revision, owner: isSealed ? message.string() : undefined };
  }
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
