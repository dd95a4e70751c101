import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Chain, createChainEvm, localBlock, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, proofOfWorkTarget, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import {
  BlockBuilder,
  type PendingTransactionSource,
  searchNonce,
  solutionOfPartialMerkle,
  solvedBlock,
} from "@cambium/miner";
import {
  type BlockAnnouncement,
  type GossipHandlers,
  type NetworkEvent,
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
  type ScoringEvent,
  type Verdict,
} from "@cambium/networking";
import { concatBytes, fromHex, keccak256, type Timers, toHex, utf8 } from "@cambium/primitives";
import { ManualClock } from "@cambium/test-utils/manual-clock";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { TransactionPool } from "@cambium/txpool";
import { Block, type HeaderFields, signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import { GossipService } from "../../src/index.js";

export const network = NETWORKS.local;
/** Time of the tests' clock in seconds. */
export const NOW = 1_700_000_000;
const REWARD = fromHex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d");

/** A transfer of one of the accounts that the local genesis funds: `cow`, `cow1`, … `cow9`. */
export function signed(name: string, own: Partial<TransactionRequest> = {}): Transaction {
  const plain = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: new Uint8Array(20).fill(7), value: 1n };
  return signTransaction({ ...plain, ...own }, keccak256(utf8(name)));
}

/** Properties of a block to mine; it is valid unless its header is changed. */
export interface BlockWish {
  parent?: Uint8Array;
  transactions?: readonly Transaction[];
  header?: Partial<HeaderFields>;
  /** Distinguishes siblings. */
  extraData?: string;
}

/** Mines blocks on its own chain, which contains every valid one. */
export class Maker {
  private constructor(readonly chain: Chain) {}

  static async open(chosen: NetworkConfig = network): Promise<Maker> {
    return new Maker(await openChain({ network: chosen, database: new MemoryDatabase(), now: () => NOW }));
  }

  /** A mined block, not imported. */
  async make({ parent, transactions = [], header = {}, extraData = "" }: BlockWish = {}): Promise<Block> {
    return mineOn(this.chain, { ordered: () => transactions, evict: () => undefined }, { parent, header, extraData });
  }

  /** Mines a valid block and imports it into this chain. */
  async mine(wish: BlockWish = {}): Promise<Block> {
    const block = await this.make(wish);
    const { kind } = await this.chain.import(localBlock(block));
    assert.ok(kind.startsWith("imported"), kind);
    return block;
  }

  async line(length: number, wish: BlockWish = {}): Promise<Block[]> {
    const blocks: Block[] = [];
    for (let i = 0; i < length; i++) {
      blocks.push(await this.mine({ ...wish, parent: blocks.at(-1)?.hash ?? wish.parent }));
    }
    return blocks;
  }
}

async function mineOn(
  chain: Chain,
  pool: PendingTransactionSource,
  wish: { parent?: Uint8Array | undefined; header: Partial<HeaderFields>; extraData: string },
): Promise<Block> {
  const options = { rewardAddress: REWARD, identity: "", extraData: utf8(wish.extraData), timeBudget: 60_000 };
  const builder = new BlockBuilder({ chain, pool, now: () => NOW * 1000 }, options);
  const built = builder.build(wish.parent === undefined ? {} : { parentHash: wish.parent });
  const changed = built.header.with(wish.header);
  const template = { ...built, header: changed, hashForMergedMining: changed.hashForMergedMining };
  const coinbase = taggedCoinbase(template.hashForMergedMining);
  const id = transactionId(coinbase);
  const target = proofOfWorkTarget(changed.difficultyValue);
  const header = await searchNonce(canonicalParentHeader(id, Number(changed.timestamp), 0), target);
  const solution = solutionOfPartialMerkle({ header, coinbase, merkleHashes: [id], transactionCount: 1 });
  return solvedBlock(template, solution, chain.network);
}

export interface Report {
  peer: PeerId;
  event: ScoringEvent;
  detail: string | undefined;
}

type Topic = "block" | "blockHash" | "transactions";

export interface Message {
  topic: Topic;
  content: unknown;
  id: string;
}

/**
 * Peers as one node sees them. Linked nodes gossip with each other. Each node validates a message once, when it first
 * arrives, and relays it if it is accepted.
 */
export class FakeNetwork implements PeerNetwork {
  readonly reports: Report[] = [];
  readonly published: Message[] = [];
  /** Verdicts on all received messages, in order. */
  readonly verdicts: Verdict[] = [];
  /** Blocks requested from this node's peers. */
  readonly asked: string[] = [];
  /** Responses of the simulated peers. */
  answer: (hash: Uint8Array) => Promise<Uint8Array | undefined> | Uint8Array | undefined = () => undefined;
  handlers: GossipHandlers | undefined;
  serve: (hash: Uint8Array) => Uint8Array | undefined = () => undefined;
  private readonly links = new Map<PeerId, FakeNetwork>();
  private readonly present = new Map<PeerId, Peer>();
  private readonly listeners = new Set<(event: NetworkEvent) => void>();
  private readonly seen = new Set<string>();

  constructor(
    readonly ownId: PeerId,
    private readonly status: () => { bestHash: Uint8Array; totalDifficulty: bigint } = () => ({
      bestHash: new Uint8Array(32),
      totalDifficulty: 1n,
    }),
  ) {}

  peers(): readonly Peer[] {
    return [...this.present.values()];
  }

  peer(id: PeerId): Peer | undefined {
    return this.present.get(id);
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Connects a simulated peer with its own best block. */
  connect(
    id: PeerId,
    bestHash: Uint8Array = new Uint8Array(32),
    totalDifficulty = 1n,
    wire: Peer["wire"] = "libp2p",
  ): void {
    const status = { bestHash, totalDifficulty } as Peer["status"];
    const address = { ip: "127.0.0.1", port: 1 };
    const capabilities = UNLIMITED;
    const peer: Peer = { id, address, direction: "inbound", wire, capabilities, isTrusted: false, status };
    this.present.set(id, peer);
    for (const listener of this.listeners) listener({ kind: "peerConnected", peer });
  }

  static link(a: FakeNetwork, b: FakeNetwork): void {
    a.links.set(b.ownId, b);
    b.links.set(a.ownId, a);
    const [ofA, ofB] = [a.status(), b.status()];
    a.connect(b.ownId, ofB.bestHash, ofB.totalDifficulty);
    b.connect(a.ownId, ofA.bestHash, ofA.totalDifficulty);
  }

  static cut(a: FakeNetwork, b: FakeNetwork): void {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      one.links.delete(other.ownId);
      one.present.delete(other.ownId);
    }
  }

  async *blocks(peer: PeerId, hashes: readonly Uint8Array[]): AsyncGenerator<Uint8Array | undefined> {
    this.asked.push(...hashes.map((hash) => `${peer} ${toHex(hash)}`));
    for (const hash of hashes) yield await (this.links.get(peer)?.serve ?? this.answer)(hash);
  }

  noteBest(): void {}

  readonly pending: Uint8Array[][] = [];

  async relayPending(encoded: readonly Uint8Array[]): Promise<void> {
    this.pending.push([...encoded]);
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.reports.push({ peer, event, detail });
  }

  /** Events for which a peer was reported, in order. */
  eventsOf(peer: PeerId): ScoringEvent[] {
    return this.reports.filter((report) => report.peer === peer).map(({ event }) => event);
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    this.handlers = handlers;
  }

  async publishBlock(encoded: Uint8Array): Promise<void> {
    this.publish("block", encoded, encoded);
  }

  async publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    this.publish("blockHash", announcement, concatBytes(announcement.hash, utf8(`${announcement.totalDifficulty}`)));
  }

  async publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    this.publish("transactions", encoded, concatBytes(...encoded));
  }

  of<T>(topic: Topic): T[] {
    return this.published.filter((message) => message.topic === topic).map(({ content }) => content as T);
  }

  private publish(topic: Topic, content: unknown, bytes: Uint8Array): void {
    const message = { topic, content, id: `${topic} ${toHex(keccak256(bytes))}` };
    this.published.push(message);
    // Like the real mesh, this network forgets a message if there is no peer to send it to.
    if (this.links.size === 0 || this.seen.has(message.id)) return;
    this.seen.add(message.id);
    this.spread(message, undefined);
  }

  private spread(message: Message, but: PeerId | undefined): void {
    for (const [id, link] of this.links) {
      if (id !== but) setImmediate(() => void link.receive(message, this.ownId));
    }
  }

  private async receive(message: Message, from: PeerId): Promise<void> {
    if (!this.links.has(from) || this.seen.has(message.id)) return;
    this.seen.add(message.id);
    const verdict = await this.judge(message, from);
    this.verdicts.push(verdict);
    if (verdict === "accept") this.spread(message, from);
  }

  private async judge({ topic, content }: Message, from: PeerId): Promise<Verdict> {
    const { handlers } = this;
    if (handlers === undefined) return "ignore";
    const judged =
      topic === "block"
        ? handlers.block(content as Uint8Array, from).then(({ verdict }) => verdict)
        : topic === "blockHash"
          ? handlers.blockHash(content as BlockAnnouncement, from)
          : handlers.transactions(content as Uint8Array[], from);
    return judged.catch(() => "ignore" as const);
  }

  hashes = refuse;
  skeleton = refuse;
  headers = refuse;
  bodies = refuse;
  transactions = refuse;
  snapshotStatus = refuse;
  snapshotBlocks = refuse;
  snapshotChunk = refuse;
}

function refuse(): never {
  throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "fake" });
}

export interface NodeOptions {
  id?: string;
  network?: NetworkConfig;
  timers?: Timers;
  /** Whether the node fetches missing blocks from its peers. */
  syncs?: boolean;
}

/** A chain, a pool and gossip; records all their events and messages. */
export class TestNode {
  readonly net: FakeNetwork;
  readonly service: GossipService;
  readonly wanted: { peer: PeerId; hash: string; number: number }[] = [];
  readonly warnings: unknown[] = [];
  isFarBehind = false;

  private constructor(
    readonly chain: Chain,
    readonly pool: TransactionPool,
    readonly clock: { now: number },
    readonly timers: Timers,
    options: NodeOptions,
  ) {
    this.net = new FakeNetwork(options.id ?? "me", () => {
      const { hash, totalDifficulty } = chain.best();
      return { bestHash: hash, totalDifficulty };
    });
    this.net.serve = (hash) => chain.encodedBlock(hash);
    const engine = {
      isFarBehind: () => this.isFarBehind,
      blockWanted: (peer: PeerId, hash: Uint8Array, number: number) => {
        this.wanted.push({ peer, hash: toHex(hash), number });
        if (options.syncs) void this.fetch(peer, hash);
      },
    };
    const logger = { ...SILENT, warn: (details: object) => this.warnings.push(details) };
    const modules = {
      chain,
      pool,
      network: this.net,
      engine,
      now: () => clock.now,
      elapsed: () => clock.now,
      logger,
      timers,
    };
    this.service = new GossipService(modules);
    this.service.start();
    if (options.syncs) this.net.on(({ peer }) => this.compare(peer));
  }

  static async open(options: NodeOptions = {}): Promise<TestNode> {
    const clock = { now: NOW };
    const chosen = options.network ?? network;
    const chain = await openChain({ network: chosen, database: new MemoryDatabase(), now: () => clock.now });
    const pool = new TransactionPool({ chain, evm: createChainEvm(chosen), now: () => clock.now });
    return new TestNode(chain, pool, clock, options.timers ?? new ManualClock(), options);
  }

  /** Mines the pending transactions. */
  async mine(extraData = this.net.ownId): Promise<Block> {
    const block = await mineOn(this.chain, this.pool, { header: {}, extraData });
    assert.equal((await this.chain.import(localBlock(block))).kind, "imported-best");
    return block;
  }

  async block(block: Block | Uint8Array, from = "peer"): Promise<Verdict> {
    return (await this.service.block(block instanceof Uint8Array ? block : block.encode(), from)).verdict;
  }

  transactions(transactions: readonly (Transaction | Uint8Array)[], from = "peer"): Promise<Verdict> {
    const encoded = transactions.map((item) => (item instanceof Uint8Array ? item : item.encoded));
    return this.service.transactions(encoded, from);
  }

  announce(block: Block, totalDifficulty: bigint, from = "peer"): Promise<Verdict> {
    return this.service.blockHash({ hash: block.hash, number: block.number, totalDifficulty }, from);
  }

  get best(): string {
    return toHex(this.chain.best().hash);
  }

  has(block: Block): boolean {
    return this.chain.headerByHash(block.hash) !== undefined;
  }

  private compare({ id, status }: Peer): void {
    if (status.totalDifficulty > this.chain.best().totalDifficulty) void this.fetch(id, status.bestHash);
  }

  /** Synchronises minimally: back to a known block, then forwards. */
  private async fetch(peer: PeerId, hash: Uint8Array): Promise<void> {
    const line: Uint8Array[] = [];
    for (let next = hash; this.chain.headerByHash(next) === undefined; ) {
      const [encoded] = await collect(this.net.blocks(peer, [next]));
      if (encoded === undefined) return;
      line.unshift(encoded);
      next = Block.decode(encoded, this.chain.network).header.parentHash;
    }
    for (const bytes of line) await this.chain.import({ bytes, source: "sync" });
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 120_000;
  while (!condition()) {
    if (Date.now() > end) assert.fail(`in vain: ${what}`);
    await sleep(2);
  }
}
