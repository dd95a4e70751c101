import { randomBytes } from "node:crypto";
import { append, EMPTY_BYTES, type RlpInput } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { NatsConnection } from "@nats-io/transport-node";
import { headersOf, listen, poolSnapshotSubject, poolSubject } from "../connection.js";
import type { SealedStream } from "../seal.js";
import { changeItem, encodeNews, encodePart, MAX_MIRRORED, transactionItems } from "./pool-message.js";

/** Milliseconds between signs of life. */
const HEARTBEAT = 1_000;
/** Approximate size of the transactions in a message, in bytes. */
const PART_BYTES = 256 * 1024;

/**
 * Publishes every change of a transaction pool over core NATS, and sends the whole pool to replicas on request.
 * Messages are numbered, so that a replica detects missing ones.
 */
export class PoolPublisher {
  private readonly epoch = randomBytes(8);
  private sequence = 0;
  private changes: RlpInput[] = [];
  private bytes = 0;
  private pending: Uint8Array[] = [];
  private isFlushing = false;
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly connection: NatsConnection,
    private readonly address: SealedStream,
    private readonly pool: TransactionPool,
  ) {
    const snapshots = listen(connection, poolSnapshotSubject(address), (message) => {
      const { reply = "", data } = message;
      const headers = headersOf(() => message.headers);
      if (address.seal.isIn(headers, "pool-request", [reply], data)) this.sendAll(reply);
    });
    const heartbeat = setInterval(() => this.beat(), HEARTBEAT);
    this.ends = [
      pool.watch((change) => {
        this.changes.push(changeItem(change));
        this.bytes += change.kind === "added" ? change.pooled.transaction.size : 0;
        if (this.bytes > PART_BYTES) this.flush();
        else this.flushSoon();
      }),
      pool.on((event) => {
        if (event.kind !== "newPending") return;
        append(
          this.pending,
          event.transactions.map(({ hash }) => hash),
        );
        this.flushSoon();
      }),
      () => clearInterval(heartbeat),
      () => snapshots.unsubscribe(),
    ];
  }

  close(): void {
    for (const end of this.ends) end();
  }

  /**
   * Sends changes before the answer to the request that caused them, so that its client finds the transaction at its
   * replica.
   */
  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    queueMicrotask(() => {
      this.isFlushing = false;
      this.flush();
    });
  }

  private flush(): void {
    const { changes, pending } = this;
    if (changes.length === 0 && pending.length === 0) return;
    [this.changes, this.pending, this.bytes] = [[], [], 0];
    this.send(encodeNews(this.epoch, ++this.sequence, changes, pending));
  }

  /** Publishes changes, or a sign of life. Reading the pool removes expired transactions. */
  private beat(): void {
    this.pool.counts();
    this.flush();
    this.send(encodeNews(this.epoch, this.sequence, [], []));
  }

  private send(message: Uint8Array): void {
    const { connection, address } = this;
    if (connection.isClosed()) return;
    connection.publish(poolSubject(address), message, { headers: address.seal.headers("pool", [], message) });
  }

  /** Sends the pool in numbered parts, then an empty one. Sends only the latter if the pool is too large. */
  private sendAll(reply: string): void {
    const all = this.pool.all();
    this.flush();
    const { connection, address } = this;
    let number = 0;
    const send = (content: Uint8Array) => {
      const headers = address.seal.headers("pool-part", [reply, number++], content);
      connection.publish(reply, content, { headers });
    };
    if (this.pool.counts().bytes <= MAX_MIRRORED) {
      let part: RlpInput[] = [];
      let bytes = 0;
      for (const pooled of all) {
        part.push(transactionItems(pooled));
        bytes += pooled.transaction.size;
        if (bytes < PART_BYTES) continue;
        send(encodePart(this.epoch, this.sequence, part));
        [part, bytes] = [[], 0];
      }
      send(encodePart(this.epoch, this.sequence, part));
    }
    send(EMPTY_BYTES);
  }
}
