import { type Logger, shownUrl } from "@cambium/primitives";
import { connectTo, ReplicationError, type StreamAddress, Window } from "@cambium/replication";
import {
  DiscardPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
} from "@nats-io/jetstream";
import { headers, type MsgHdrs, type NatsConnection, nanos } from "@nats-io/transport-node";
import { FeedError } from "../errors.js";
import type { BlockRows } from "../rows.js";
import { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Row } from "../schema.js";
import { type Content, type Position, requireContent, type Sink } from "../sink.js";

/** How long a stream keeps messages. */
export interface FeedRetention {
  /** Milliseconds; 0: without a limit. */
  maxAge: number;
  /** Bytes; -1: without a limit. */
  maxBytes: number;
}

/** Bytes of a message besides the rows, at most. */
const ENVELOPE = 2_048;
/** Messages hold rows of about so many bytes at most, if the server accepts as many. */
const MAX_MESSAGE = 512 * 1024;
/** Milliseconds until an acknowledgement is given up. */
const ACK_TIMEOUT = 10_000;
/** Milliseconds for which the server recognises repeated messages; besides, it accepts a message only after the one before. */
const DUPLICATE_WINDOW = 120_000;
/** The stream of pool events drops its oldest beyond so many bytes. */
const MAX_POOL_BYTES = 100_000_000;

const INTERRUPTED = "the connection to NATS was interrupted";

const CHAIN = "Cambium-Chain";
const TABLES_HELD = "Cambium-Tables";
const KIND = "Cambium-Kind";
const BLOCK = "Cambium-Block";
const POSITION = "Cambium-Position";
const AT = "Cambium-At";
const BELOW = "Cambium-Below";

type Kind = "rows" | "block" | "retraction" | "retracted";

/** A block of the stream. */
interface Place extends Position {
  /** Sequence number of the message that completes it. */
  message: number;
  /** The same of the block before; 0 for the first one. */
  below: number;
}

interface Message {
  table: BlockTable;
  /** `block` and `retracted` complete a block or its retraction. */
  kind: Kind;
  block: Position;
  /** What the stream holds once this message is there, if it completes something. */
  after: Place | undefined;
  body: string;
}

/**
 * A JetStream stream with a subject for each table. A block is the messages of its rows, then one of `blocks`, which completes it; so is its
 * retraction, without rows. Each message carries the position, so that the last one is enough to continue. The server accepts a message only
 * as the successor of the last one: what another feed or an earlier attempt has sent makes the next message fail, and the position is read anew.
 */
export class NatsSink implements Sink {
  readonly limits = { blocks: 100, bytes: 8 * 1024 * 1024, isEager: true };
  private connection: NatsConnection | undefined;
  private manager!: JetStreamManager;
  private client!: JetStreamClient;
  private content!: Content;
  private place: Place | undefined;
  /** Places that were read or written, by sequence number of their messages. */
  private readonly places = new Map<number, Place>();
  private last = 0;
  private hasPoolStream = false;
  private window = new Window();
  private isInterrupted = false;

  constructor(
    private readonly address: StreamAddress,
    private readonly retention: FeedRetention,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {}

  async open(content: Content): Promise<Position | undefined> {
    this.content = content;
    await this.connect();
    this.places.clear();
    this.hasPoolStream = false;
    this.place = undefined;
    const state = await this.openStream();
    this.last = state.last_seq;
    if (state.last_seq === 0) return undefined;
    const message = await this.manager.streams.getMessage(this.address.stream, { seq: state.last_seq });
    if (message === null)
      throw this.failure(
        "its last message is gone, and with it the position: delete the stream and start anew with --from-block",
      );
    await this.readLast(message);
    return this.place;
  }

  async hashAt(number: number): Promise<string | undefined> {
    return (await this.placeAt(number))?.hash;
  }

  async write(blocks: readonly BlockRows[]): Promise<void> {
    await this.send(async (publish) => {
      for (const block of blocks) {
        for (const table of this.tables) {
          if (table !== "blocks")
            for (const body of this.bodies(block, table)) await publish({ ...message(block, table), body });
        }
        const after = {
          number: block.number,
          hash: block.hash,
          message: this.last + 1,
          below: this.place?.message ?? 0,
        };
        const [body] = this.bodies(block, "blocks") as [string];
        await publish({ table: "blocks", kind: "block", block, after, body });
      }
    });
  }

  async retract(above: number | undefined): Promise<void> {
    await this.send(async (publish) => {
      while (this.place !== undefined && this.place.number > (above ?? -1)) {
        const after = this.place.below === 0 ? undefined : await this.placeOf(this.place.below);
        await this.publishRetraction(publish, this.place, after);
      }
    });
  }

  async writePool(rows: readonly Row[]): Promise<void> {
    if (!this.hasPoolStream) await this.openPoolStream();
    for (const row of rows) await this.client.publish(`${this.poolStream}.${POOL_TABLE}`, JSON.stringify(row));
  }

  async close(): Promise<void> {
    await this.connection?.close();
    this.connection = undefined;
  }

  private get tables(): readonly BlockTable[] {
    return BLOCK_TABLES.filter((table) => this.content.tables.includes(table));
  }

  private get poolStream(): string {
    return `${this.address.stream}-pool`;
  }

  private async connect(): Promise<void> {
    if (this.connection !== undefined && !this.connection.isClosed()) return;
    const connection = await connectTo(this.address, this.logger, this.signal).catch((error) => {
      if (!(error instanceof ReplicationError)) throw error;
      throw new FeedError({
        code: "TARGET",
        target: this.address.servers.map(shownUrl).join(","),
        expected: "nats://host:port",
      });
    });
    if (connection === undefined) throw new Error("stopped");
    this.connection = connection;
    this.isInterrupted = false;
    this.manager = await jetstreamManager(connection);
    this.client = jetstream(connection);
    void this.noticeDisconnections(connection);
  }

  /** What was in flight is not acknowledged any more, whether or not it has arrived. */
  private async noticeDisconnections(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") {
        this.isInterrupted = true;
        this.window.fail(new Error(INTERRUPTED));
      }
      if (type === "reconnect") this.isInterrupted = false;
    }
  }

  private async openStream() {
    const { stream } = this.address;
    const limits = {
      subjects: [`${stream}.*`],
      max_age: nanos(this.retention.maxAge),
      max_bytes: this.retention.maxBytes,
      duplicate_window: nanos(Math.min(DUPLICATE_WINDOW, this.retention.maxAge || DUPLICATE_WINDOW)),
    };
    const names = await this.manager.streams.list().next();
    if (names.some(({ config }) => config.name === stream))
      return (await this.manager.streams.update(stream, limits)).state;
    const fixed = { retention: RetentionPolicy.Limits, discard: DiscardPolicy.Old, storage: StorageType.File };
    return (await this.manager.streams.add({ name: stream, ...fixed, ...limits })).state;
  }

  private async openPoolStream(): Promise<void> {
    const limits = { subjects: [`${this.poolStream}.*`], max_bytes: MAX_POOL_BYTES };
    const names = await this.manager.streams.list().next();
    const isThere = names.some(({ config }) => config.name === this.poolStream);
    if (!isThere) await this.manager.streams.add({ name: this.poolStream, discard: DiscardPolicy.Old, ...limits });
    this.hasPoolStream = true;
  }

  /** Finds the position in the last message. A block that it does not complete is retracted. */
  private async readLast({ header, seq }: StoredMsg): Promise<void> {
    const kind = header.get(KIND) as Kind;
    const [chainId, genesis] = header.get(CHAIN).split("-");
    const found = { chainId, genesis, tables: header.get(TABLES_HELD) };
    const expected = { ...this.content, tables: this.tables.join(",") };
    if (kind === ("" as Kind)) throw this.failure("its last message is not one of a feed; use another --nats.stream");
    requireContent(`the stream ${this.address.stream}`, found, expected);
    const at = kind === "block" ? seq : Number(header.get(AT));
    this.place = at === 0 ? undefined : await this.placeOf(at);
    if (kind === "block" || kind === "retracted") return;
    const block = position(header.get(BLOCK));
    const { place } = this;
    const isRetracting = place?.hash === block.hash;
    const after = !isRetracting ? place : place.below === 0 ? undefined : await this.placeOf(place.below);
    await this.send((publish) => this.publishRetraction(publish, block, after));
  }

  /** The block that a message completes. */
  private async placeOf(seq: number): Promise<Place> {
    const known = this.places.get(seq);
    if (known !== undefined) return known;
    const found = await this.manager.streams.getMessage(this.address.stream, { seq });
    if (found === null)
      throw this.failure(
        `its message ${seq} is gone, and a block at or below it was abandoned: delete the stream and start anew`,
      );
    const place = { ...position(found.header.get(BLOCK)), message: seq, below: Number(found.header.get(BELOW)) };
    this.places.set(seq, place);
    return place;
  }

  private async placeAt(number: number): Promise<Place | undefined> {
    let { place } = this;
    while (place !== undefined && place.number > number) {
      place = place.below === 0 ? undefined : await this.placeOf(place.below);
    }
    return place?.number === number ? place : undefined;
  }

  private async publishRetraction(publish: Publish, block: Position, after: Place | undefined): Promise<void> {
    const body = JSON.stringify({ block_number: block.number, block_hash: block.hash, sign: -1 });
    for (const table of this.tables) {
      const kind = table === "blocks" ? "retracted" : "retraction";
      await publish({ table, kind, block, after, body });
    }
    this.place = after;
  }

  /** Publishes messages in order, many at a time. Resolves when all are acknowledged. */
  private async send(all: (publish: Publish) => Promise<void>): Promise<void> {
    if (this.isInterrupted) throw new Error(INTERRUPTED);
    const window = new Window();
    this.window = window;
    try {
      await all(async (one) => {
        await window.room(one.body.length);
        const acknowledged = this.client.publish(`${this.address.stream}.${one.table}`, one.body, {
          headers: this.headersOf(one),
          msgID: `${this.last + 1}.${one.block.hash}`,
          expect: { streamName: this.address.stream, lastSequence: this.last },
          timeout: ACK_TIMEOUT,
          retries: 1,
        });
        this.last++;
        if (one.kind === "block") this.complete(one.after!);
        window.add(one.body.length, acknowledged, () => undefined);
      });
    } finally {
      await window.settled();
    }
    if (window.failure !== undefined) throw window.failure;
  }

  private complete(place: Place): void {
    this.place = place;
    this.places.set(place.message, place);
    if (this.places.size > MAX_PLACES) this.places.delete(this.places.keys().next().value!);
  }

  private headersOf({ kind, block, after }: Message): MsgHdrs {
    const { chainId, genesis } = this.content;
    const held = kind === "block" || kind === "retracted" ? after : this.place;
    const out = headers();
    out.set(CHAIN, `${chainId}-${genesis}`);
    out.set(TABLES_HELD, this.tables.join(","));
    out.set(KIND, kind);
    out.set(BLOCK, `${block.number}-${block.hash}`);
    if (held !== undefined) out.set(POSITION, `${held.number}-${held.hash}`);
    if (kind === "block") out.set(BELOW, String(after!.below));
    else out.set(AT, String(held?.message ?? 0));
    return out;
  }

  /** The rows of a table, in as many messages as they need. */
  private bodies(block: BlockRows, table: BlockTable): string[] {
    const rows = (block.rows[table] ?? []).map((row) => JSON.stringify(row));
    const most = Math.min(this.connection?.info?.max_payload ?? MAX_MESSAGE, MAX_PAYLOAD) - ENVELOPE;
    const bodies: string[] = [];
    for (let i = 0; i < rows.length; ) {
      let bytes = 0;
      const first = i;
      while (i < rows.length && (i === first || bytes + rows[i]!.length < Math.min(most, MAX_MESSAGE)))
        bytes += rows[i++]!.length + 1;
      const body = `[${rows.slice(first, i).join(",")}]`;
      const length = Buffer.byteLength(body);
      if (length > most) {
        throw this.failure(
          `block ${block.number} has a row of ${length} bytes in ${table}; raise max_payload of the NATS servers above that`,
        );
      }
      bodies.push(body);
    }
    return bodies;
  }

  private failure(reason: string): FeedError {
    return new FeedError({ code: "SINK", target: `the stream ${this.address.stream}`, reason });
  }
}

type Publish = (message: Message) => Promise<void>;

/** Blocks whose messages are known without asking the server. */
const MAX_PLACES = 10_000;
/** The largest message that NATS can be configured for. */
const MAX_PAYLOAD = 64 * 1024 * 1024;

function message(block: BlockRows, table: BlockTable): Omit<Message, "body"> {
  return { table, kind: "rows", block, after: undefined };
}

function position(text: string): Position {
  const [number, hash] = text.split("-") as [string, string];
  return { number: Number(number), hash };
}
