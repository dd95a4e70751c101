import assert from "node:assert/strict";
import { type Logger, numberToBytes } from "@cambium/primitives";
import { random } from "@cambium/test-utils/random";
import { until } from "@cambium/test-utils/rpc-client";
import { SEED } from "@cambium/test-utils/seed";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { PoolChange, PooledTransaction, PoolListener, TransactionPool } from "@cambium/txpool";
import { Transaction } from "@cambium/types";
import { headers, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import { PoolMirror, PoolPublisher, type SealedStream, sealedStream } from "../src/index.js";
import { encodeNews, encodePart } from "../src/pool/pool-message.js";

const KEYS = { genesis: new Uint8Array(32).fill(1), keys: [new Uint8Array(32).fill(2)] };
const ADDRESS = sealedStream({ servers: [], stream: "pool" }, KEYS);
const NEWS = "pool.pool";
const SNAPSHOTS = "pool.pool-snapshot";
const SENDER = new Uint8Array(20).fill(9);

type Callback = (error: Error | null, message: Message) => void;
interface Message {
  subject: string;
  data: Uint8Array;
  headers?: MsgHdrs;
  reply?: string;
}

/** Connections to one server, which loses messages at the test's request. */
class Bus {
  isLossy = false;
  /** All messages, the oldest first. */
  readonly messages: Message[] = [];
  private readonly subscribers = new Map<string, Set<Callback>>();

  connection(): NatsConnection {
    const connection = {
      isClosed: () => false,
      subscribe: (subject: string, { callback }: { callback: Callback }) => {
        const all = this.subscribers.get(subject) ?? new Set();
        this.subscribers.set(subject, all.add(callback));
        return { unsubscribe: () => void all.delete(callback), closed: new Promise(() => undefined) };
      },
      publish: (subject: string, data: Uint8Array, options?: { headers?: MsgHdrs; reply?: string }) => {
        if (!this.isLossy || subject !== NEWS) this.deliver({ subject, data, ...options });
      },
    };
    return connection as unknown as NatsConnection;
  }

  deliver(message: Message): void {
    this.messages.push(message);
    const receivers = [...(this.subscribers.get(message.subject) ?? [])];
    for (const callback of receivers) callback(null, message);
    const { reply } = message;
    if (receivers.length > 0 || reply === undefined) return;
    this.deliver({ subject: reply, data: new Uint8Array(), headers: headers(503, "no responders") });
  }
}

/** A pool with arbitrary transactions. */
class AnyPool {
  private readonly entries = new Map<string, PooledTransaction & { isPending: boolean }>();
  private listener: PoolListener = () => undefined;
  private watcher: (change: PoolChange) => void = () => undefined;

  constructor(private readonly chance: () => number) {}

  api(): TransactionPool {
    const api = {
      all: () => [...this.entries.values()],
      counts: () => ({ pending: 0, queued: 0, bytes: 0 }),
      on: (listener: PoolListener) => {
        this.listener = listener;
        return () => undefined;
      },
      watch: (watcher: (change: PoolChange) => void) => {
        this.watcher = watcher;
        return () => undefined;
      },
    };
    return api as unknown as TransactionPool;
  }

  ids(isPending: boolean): string[] {
    return [...this.entries.values()].filter((one) => one.isPending === isPending).map(({ id }) => id);
  }

  add(number: number, isPending: boolean): void {
    const transaction = transactionOf(number);
    const id = Buffer.from(transaction.hash).toString("hex");
    const pooled = { transaction, id, sender: SENDER, isPending, isLocal: true, arrival: number };
    const entry = { ...pooled, since: { time: 0, block: 0 } };
    this.entries.set(id, entry);
    this.watcher({ kind: "added", pooled: entry });
    if (isPending) this.announce(transaction);
  }

  change(): void {
    const all = [...this.entries.values()];
    const entry = all[Math.floor(this.chance() * all.length)];
    if (entry === undefined) return;
    const choice = this.chance();
    if (choice < 0.5) {
      this.entries.delete(entry.id);
      this.watcher({ kind: "removed", pooled: entry });
    } else if (entry.isPending) {
      entry.isPending = false;
      this.watcher({ kind: "queued", pooled: entry });
    } else {
      entry.isPending = true;
      this.entries.delete(entry.id);
      this.entries.set(entry.id, entry);
      this.watcher({ kind: "last", pooled: entry });
    }
  }

  private announce(transaction: Transaction): void {
    this.listener({ kind: "newPending", transactions: [transaction], cause: "local" });
  }
}

function transactionOf(number: number): Transaction {
  return new Transaction({
    nonce: numberToBytes(number + 1),
    gasPrice: 1n,
    gasLimit: numberToBytes(21_000),
    to: SENDER,
    value: 0n,
    data: new Uint8Array(),
    signature: { chainId: 33, recovery: 0, r: Uint8Array.of(1), s: Uint8Array.of(1) },
    unsignedChainId: 0,
    isReward: false,
  });
}

describe("the mirror of a transaction pool", function () {
  this.timeout(60_000);
  const ends: (() => unknown)[] = [];

  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  function follow(bus: Bus, logger: Logger = SILENT): { mirror: PoolMirror; announced: string[] } {
    const mirror = new PoolMirror();
    const announced: string[] = [];
    mirror.on((event) => {
      if (event.kind === "newPending") {
        announced.push(...event.transactions.map(({ hash }) => Buffer.from(hash).toString("hex")));
      }
    });
    mirror.follow(bus.connection(), ADDRESS, logger);
    ends.push(() => mirror.close());
    return { mirror, announced };
  }

  function publish(bus: Bus, pool: AnyPool): PoolPublisher {
    const publisher = new PoolPublisher(bus.connection(), ADDRESS, pool.api());
    ends.push(() => publisher.close());
    return publisher;
  }

  function isSame(mirror: PoolMirror, pool: AnyPool): boolean {
    const ids = (list: readonly PooledTransaction[]) => list.map(({ id }) => id).join();
    const isPart = [mirror.pending(), mirror.queued()].map(ids);
    return mirror.isCurrent() && isPart.join("|") === [pool.ids(true), pool.ids(false)].join("|");
  }

  it("equals the pool after lost messages, and announces no transaction twice", async () => {
    const chance = random(SEED);
    const bus = new Bus();
    const pool = new AnyPool(chance);
    for (let number = 0; number < 20; number++) pool.add(number, number % 3 > 0);
    publish(bus, pool);
    const { mirror, announced } = follow(bus);
    await until(async () => isSame(mirror, pool));
    assert.deepEqual(announced, [], "those that were there before");
    let next = 20;
    const isPending = new Set<string>();
    for (let round = 0; round < 20; round++) {
      bus.isLossy = chance() < 0.5;
      for (let step = 0; step < 10; step++) {
        if (chance() < 0.6) pool.add(next++, chance() < 0.7);
        else pool.change();
        if (chance() < 0.3) await Promise.resolve();
      }
      await new Promise(setImmediate);
      bus.isLossy = false;
      // The next message, or a sign of life, reveals the missing one.
      pool.add(next++, true);
      await until(async () => isSame(mirror, pool));
      for (const id of pool.ids(true)) isPending.add(id);
    }
    assert.equal(new Set(announced).size, announced.length);
    assert.ok(announced.length > 20);
  });

  it("starts anew when the writer does, and announces only what it does not know", async () => {
    const bus = new Bus();
    const first = new AnyPool(() => 0);
    const publisher = publish(bus, first);
    const { mirror, announced } = follow(bus);
    for (const number of [0, 1]) first.add(number, true);
    await until(async () => isSame(mirror, first));
    publisher.close();
    const second = new AnyPool(() => 0);
    for (const number of [1, 2]) second.add(number, true);
    publish(bus, second);
    second.add(3, true);
    await until(async () => isSame(mirror, second));
    assert.deepEqual(announced, [...first.ids(true), ...second.ids(true).slice(1)]);
  });

  it("ignores news and parts of other programs, and repeated ones", async () => {
    const bus = new Bus();
    const pool = new AnyPool(() => 0);
    for (const number of [0, 1]) pool.add(number, true);
    publish(bus, pool);
    const { mirror, announced } = follow(bus);
    await until(async () => isSame(mirror, pool));
    pool.add(2, true);
    await until(async () => isSame(mirror, pool));
    const lists = () => bus.messages.filter(({ subject }) => subject === SNAPSHOTS).length;
    const before = lists();
    const news = bus.messages.filter(({ subject }) => subject === NEWS);
    const forged = encodeNews(new Uint8Array(8), 1, [], [new Uint8Array(32)]);
    const seals: SealedStream[] = [
      sealedStream(ADDRESS, { ...KEYS, keys: [] }),
      sealedStream(ADDRESS, { ...KEYS, keys: [new Uint8Array(32)] }),
      sealedStream(ADDRESS, { ...KEYS, genesis: new Uint8Array(32) }),
      sealedStream({ ...ADDRESS, stream: "other" }, KEYS),
    ];
    for (const { seal } of seals) {
      bus.deliver({ subject: NEWS, data: forged, headers: seal.headers("pool", [], forged) });
      bus.deliver({ subject: NEWS, data: forged, headers: seal.headers("pool-part", [], forged) });
    }
    for (const data of [new Uint8Array(), new Uint8Array(100), forged]) bus.deliver({ subject: NEWS, data });
    for (const message of news) {
      bus.deliver(message);
      bus.deliver({ ...message, data: forged });
    }
    const malformed: Message = { subject: NEWS, data: forged };
    Object.defineProperty(malformed, "headers", {
      get: () => assert.fail("as the client library does"),
    });
    bus.deliver(malformed);
    assert.ok(isSame(mirror, pool));
    pool.add(3, true);
    await until(async () => isSame(mirror, pool));
    assert.deepEqual(announced, pool.ids(true).slice(2));
    assert.equal(lists(), before, "it has not asked for all of the pool again");
  });

  it("asks once for news of a former writer that others repeat", async () => {
    const bus = new Bus();
    const first = new AnyPool(() => 0);
    const publisher = publish(bus, first);
    const { mirror } = follow(bus);
    first.add(1, true);
    await until(async () => isSame(mirror, first));
    publisher.close();
    const [former] = bus.messages.filter(({ subject }) => subject === NEWS);
    const second = new AnyPool(() => 0);
    publish(bus, second);
    second.add(2, true);
    await until(async () => isSame(mirror, second));
    const asked = () => bus.messages.filter(({ subject }) => subject === SNAPSHOTS).length;
    const before = asked();
    for (let time = 0; time < 10; time++) {
      bus.deliver(former!);
      await until(async () => isSame(mirror, second));
    }
    assert.equal(asked(), before + 1);
  });

  it("takes no part of the pool, and no end of it, from others", async () => {
    const bus = new Bus();
    const pool = new AnyPool(() => 0);
    for (const number of [0, 1]) pool.add(number, true);
    const { seal } = sealedStream(ADDRESS, { ...KEYS, keys: [] });
    // This subscriber answers before the writer does.
    bus.connection().subscribe(SNAPSHOTS, {
      callback: (_error, { reply = "" }) => {
        const part = encodePart(new Uint8Array(8), 9, []);
        const end = new Uint8Array();
        bus.deliver({ subject: reply, data: end });
        bus.deliver({ subject: reply, data: part, headers: seal.headers("pool-part", [reply, 0], part) });
        bus.deliver({ subject: reply, data: end, headers: ADDRESS.seal.headers("pool-part", ["other", 0], end) });
        // Sealed for another position: the one that the part would have without the first part.
        bus.deliver({ subject: reply, data: end, headers: ADDRESS.seal.headers("pool-part", [reply, 1], end) });
      },
    });
    publish(bus, pool);
    const { mirror } = follow(bus);
    await until(async () => isSame(mirror, pool));
  });

  it("sends all of the pool to those that have the key only", async () => {
    const bus = new Bus();
    const pool = new AnyPool(() => 0);
    publish(bus, pool);
    const data = new Uint8Array();
    bus.deliver({ subject: SNAPSHOTS, data, reply: "inbox" });
    const { seal } = sealedStream(ADDRESS, { ...KEYS, keys: [] });
    bus.deliver({ subject: SNAPSHOTS, data, reply: "inbox", headers: seal.headers("pool-request", ["inbox"], data) });
    const own = ADDRESS.seal.headers("pool-request", ["other"], data);
    bus.deliver({ subject: SNAPSHOTS, data, reply: "inbox", headers: own });
    const answers = (inbox: string) => bus.messages.filter(({ subject }) => subject === inbox).length;
    assert.equal(answers("inbox"), 0);
    bus.deliver({ subject: SNAPSHOTS, data, reply: "other", headers: own });
    assert.equal(answers("other"), 2);
  });

  it("is not current while no writer answers", async () => {
    const { mirror } = follow(new Bus());
    assert.equal(mirror.isCurrent(), false);
  });
});
