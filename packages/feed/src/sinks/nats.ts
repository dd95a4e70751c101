import { type Logger, shownUrl } from "@cambium/primitives";
import {
  connectTo,
  ForeignMessages,
  headersOf,
  openStream,
  ReplicationError,
  type StoredMessage,
  type StreamAddress,
  StreamAppender,
  StreamSearch,
} from "@cambium/replication";
import {
  DiscardPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamState,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { FeedError } from "../errors.js";
import type { BlockRows } from "../rows.js";
import { BLOCK_TABLES, type BlockTable, POOL_TABLE, type Row } from "../schema.js";
import { type Content, hasContent, type Position, requireContent, type Sink } from "../sink.js";
import { type FeedMessage, type FeedMessageKind, feedHeaders, readFeedMessage, rowArrays } from "./nats-message.js";

/** How long a stream keeps messages. */
export interface FeedRetention {
  /** Maximum age in milliseconds; 0: without a limit. */
  maxAge: number;
  /** Maximum size in bytes; -1: without a limit. */
  maxBytes: number;
}

/** Maximum size of a message besides its rows, in bytes. */
const ENVELOPE = 2_048;
/** Approximate maximum size of the rows in a message, in bytes. The server's limit may be lower. */
const MAX_MESSAGE = 512 * 1024;
/** The server's default for recognising repeated messages, in milliseconds; must not exceed the age limit. */
const DUPLICATE_WINDOW = 120_000;
/** Maximum size of the stream of pool events, in bytes; beyond it the oldest are dropped. */
const MAX_POOL_BYTES = 100_000_000;

const INTERRUPTED = "the connection to NATS was interrupted";

/** A block of the stream. */
interface Place extends Position {
  /** Sequence number of the message that completes the block. */
  message: number;
  /** Sequence number of the message that completes the block before; 0 for the first block. */
  below: number;
}

interface Message {
  table: BlockTable;
  kind: FeedMessageKind;
  block: Position;
  /** State of the stream after this message, if the message completes something. */
  after: Place | undefined;
  body: string;
}

/**
 * A JetStream stream with a subject for each table. The messages of a block's rows come first; one of `blocks` then
 * completes the block. A retraction has the same form, without rows. Each message carries the position, so the last one
 * is enough to continue. The server accepts a message only as the successor of the last one. A message from another
 * feed or an earlier attempt therefore makes the next message fail, and the position is read again.
 */
export class NatsSink implements Sink {
  readonly limits = { blocks: 100, bytes: 8 * 1024 * 1024, isEager: true };
  private connection: NatsConnection | undefined;
  private manager!: JetStreamManager;
  private appender!: StreamAppender;
  private content!: Content;
  private place: Place | undefined;
  /** Blocks that were read or written, by sequence number of their messages. */
  private readonly places = new Map<number, Place>();
  private last = 0;
  private hasPoolStream = false;
  private isInterrupted = false;
  private readonly foreign: ForeignMessages;

  constructor(
    private readonly address: StreamAddress,
    private readonly retention: FeedRetention,
    private readonly logger: Logger,
    private readonly signal: AbortSignal,
  ) {
    this.foreign = new ForeignMessages(logger, "message of this feed");
  }

  async open(content: Content): Promise<Position | undefined> {
    this.content = content;
    await this.connect();
    this.places.clear();
    this.hasPoolStream = false;
    this.place = undefined;
    const state = await this.openStream();
    this.last = state.last_seq;
    if (state.last_seq > 0) await this.readLast(await this.lastMessage(state));
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
    const client = jetstream(this.connection!);
    for (const row of rows) await client.publish(`${this.poolStream}.${POOL_TABLE}`, JSON.stringify(row));
  }

  async close(): Promise<void> {
    this.appender?.close();
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
    this.appender = new StreamAppender(connection);
    void this.noticeDisconnections(connection);
  }

  /** Rejects messages in flight on a disconnection: their acknowledgement is lost, whether or not they arrived. */
  private async noticeDisconnections(connection: NatsConnection): Promise<void> {
    for await (const { type } of connection.status()) {
      if (type === "disconnect") {
        this.isInterrupted = true;
        this.appender.fail(new Error(INTERRUPTED));
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
    const fixed = { retention: RetentionPolicy.Limits, discard: DiscardPolicy.Old, storage: StorageType.File };
    return openStream(this.manager, stream, limits, fixed);
  }

  private async openPoolStream(): Promise<void> {
    const limits = { subjects: [`${this.poolStream}.*`], max_bytes: MAX_POOL_BYTES };
    await openStream(this.manager, this.poolStream, limits, { discard: DiscardPolicy.Old });
    this.hasPoolStream = true;
  }

  /** Content that this feed's message headers must name. */
  private get expected() {
    return { ...this.content, tables: this.tables.join(",") };
  }

  /** Finds the last message of this feed. Rejects with {@link FeedError} if there is none. */
  private async lastMessage(state: StreamState): Promise<{ seq: number; value: FeedMessage }> {
    const { manager, expected } = this;
    const { stream } = this.address;
    if ((await manager.streams.getMessage(stream, { seq: state.last_seq })) === null) {
      throw this.failure(
        "its last message is gone, and with it the position: delete the stream and start again with --from-block",
      );
    }
    let other: FeedMessage | undefined;
    const search = new StreamSearch(
      manager,
      stream,
      (message) => {
        const own = this.read(message);
        if (own === undefined) other ??= readFeedMessage(message);
        return own;
      },
      this.foreign,
    );
    let found = await search.last(state);
    while (found !== undefined && !(await this.isSound(found.value))) {
      this.foreign.skipped({ stream, message: found.seq });
      found = await search.last({ ...state, last_seq: found.seq - 1 });
    }
    if (found !== undefined) return found;
    if (other !== undefined) requireContent(`the stream ${stream}`, other.content, expected);
    throw this.failure("it has no message of a feed; use another --nats.stream");
  }

  /** Whether the message `below` completes the same block or the previous one, or was dropped. */
  private async isSound({ block, below }: FeedMessage): Promise<boolean> {
    const message = below === 0 ? null : await this.manager.streams.getMessage(this.address.stream, { seq: below });
    if (message === null) return true;
    const read = this.read({ seq: below, data: message.data, headers: headersOf(() => message.header) });
    return read?.kind === "block" && [block.number, block.number - 1].includes(read.block.number);
  }

  /** Decodes a message; undefined if another program or another feed sent it. */
  private read(message: StoredMessage): FeedMessage | undefined {
    const read = readFeedMessage(message);
    return read !== undefined && hasContent(read.content, this.expected) ? read : undefined;
  }

  /** Finds the position in the last message. Retracts a block that the message leaves incomplete. */
  private async readLast({ seq, value }: { seq: number; value: FeedMessage }): Promise<void> {
    const { kind, block, below } = value;
    const at = kind === "block" ? seq : below;
    this.place = at === 0 ? undefined : await this.placeOf(at);
    if (kind === "block" || kind === "retracted") return;
    const { place } = this;
    const isRetracting = place?.hash === block.hash;
    const after = !isRetracting ? place : place.below === 0 ? undefined : await this.placeOf(place.below);
    await this.send((publish) => this.publishRetraction(publish, block, after));
  }

  /** Returns the block that a message completes. */
  private async placeOf(seq: number): Promise<Place> {
    const known = this.places.get(seq);
    if (known !== undefined) return known;
    const found = await this.manager.streams.getMessage(this.address.stream, { seq });
    if (found === null)
      throw this.failure(
        `its message ${seq} is gone, and a block at or below it was abandoned: delete the stream and start again`,
      );
    const read = this.read({ seq, data: found.data, headers: headersOf(() => found.header) });
    if (read?.kind !== "block") {
      throw this.failure(
        `message ${seq}, to which a later one refers, is not from this feed; use another --nats.stream`,
      );
    }
    const place = { ...read.block, message: seq, below: read.below };
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

  /** Publishes messages in order. Resolves when all are stored. */
  private async send(all: (publish: Publish) => Promise<void>): Promise<void> {
    await all(async (one) => {
      if (this.isInterrupted) throw new Error(INTERRUPTED);
      const held = one.kind === "block" || one.kind === "retracted" ? one.after : this.place;
      const below = (one.kind === "block" ? one.after?.below : held?.message) ?? 0;
      const headers = feedHeaders({ content: this.expected, kind: one.kind, block: one.block, below }, held);
      await this.appender.append(`${this.address.stream}.${one.table}`, one.body, headers, this.last);
      this.last++;
      if (one.kind === "block") this.complete(one.after!);
    });
  }

  private complete(place: Place): void {
    this.place = place;
    this.places.set(place.message, place);
    if (this.places.size > MAX_PLACES) this.places.delete(this.places.keys().next().value!);
  }

  /** Returns the rows of a table as the bodies of one or more messages. */
  private bodies(block: BlockRows, table: BlockTable): string[] {
    const most = Math.min(this.connection?.info?.max_payload ?? MAX_MESSAGE, MAX_PAYLOAD) - ENVELOPE;
    const bodies = rowArrays(block.rows[table] ?? [], Math.min(most, MAX_MESSAGE));
    for (const body of bodies) {
      const length = Buffer.byteLength(body);
      if (length <= most) continue;
      throw this.failure(
        `block ${block.number} has a row of ${length} bytes in ${table}; raise max_payload of the NATS servers above that`,
      );
    }
    return bodies;
  }

  private failure(reason: string): FeedError {
    return new FeedError({ code: "SINK", target: `the stream ${this.address.stream}`, reason });
  }
}

type Publish = (message: Message) => Promise<void>;

/** Maximum number of blocks whose messages are known without a request to the server. */
const MAX_PLACES = 10_000;
/** Maximum message size that NATS can be configured for, in bytes. */
const MAX_PAYLOAD = 64 * 1024 * 1024;

function message(block: BlockRows, table: BlockTable): Omit<Message, "body"> {
  return { table, kind: "rows", block, after: undefined };
}
