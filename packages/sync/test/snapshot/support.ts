import { type Chain, openChain, SnapshotServer, type SnapshotServing } from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import { type Database, MemoryDatabase } from "@cambium/database";
import {
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
  type ScoringEvent,
  type SnapshotBlock,
  type SnapshotChunk,
  type SnapshotStatus,
} from "@cambium/networking";
import { concatBytes, EMPTY_BYTES, fromHex, keccak256, utf8 } from "@cambium/primitives";
import { Mine, NOW, network } from "@cambium/test-utils/mined-chains";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { BlockHeader, signTransaction, type Transaction } from "@cambium/types";

/** A chain and its database. */
export interface Origin {
  chain: Chain;
  database: Database;
}

/** Code that increments its only cell, and returns the cell when called with data. */
const COUNTER = fromHex("36600e57600054600101600055005b60005460005260206000f3");
const DEPLOYMENT = concatBytes(fromHex("601a600c600039601a6000f3"), COUNTER);

function sent(nonce: bigint, to: Uint8Array, own: { data?: Uint8Array; value?: bigint } = {}): Transaction {
  return signTransaction({ nonce, gasPrice: 1n, gasLimit: 200_000n, to, ...own }, keccak256(utf8("cow")));
}

/** Mines on a new chain: one contract, then transfers to new accounts, and calls in between. */
export async function mined(
  count: number,
  config: NetworkConfig = network,
  brand: "a" | "b" = "a",
): Promise<Origin & { counter: Uint8Array }> {
  const database = new MemoryDatabase();
  const chain = await openChain({ network: config, database, now: () => NOW });
  const mine = new Mine(chain, brand);
  let nonce = 0n;
  mine.transactions = [sent(nonce++, EMPTY_BYTES, { data: DEPLOYMENT })];
  const { hash } = (await mine.block()).transactions[0]!;
  const location = chain.findTransaction(hash)!;
  const counter = addressOf(location.transaction, chain);
  for (let number = 2; number <= count; number++) {
    const account = keccak256(utf8(`account ${number}`)).slice(12);
    if (number % 3 === 0) mine.transactions = [sent(nonce++, account, { value: 1_000n + BigInt(number) })];
    if (number % 5 === 0) mine.transactions.push(sent(nonce++, counter));
    await mine.block();
  }
  return { chain, database, counter };
}

/** Address of the contract that the chain's first block deployed. */
function addressOf(deployment: Transaction, chain: Chain): Uint8Array {
  const [receipt] = chain.receipts(chain.best().hash)!;
  if (receipt?.status !== 1) throw new Error("deployment failed");
  // RLP of [sender, 0].
  return keccak256(concatBytes(fromHex("d694"), deployment.sender!, fromHex("80"))).slice(12);
}

export interface SnapshotAnswers {
  hash(height: number): Uint8Array | undefined;
  status(): SnapshotStatus;
  blocks(below: number): readonly SnapshotBlock[];
  chunk(blockNumber: number, from: number): Promise<SnapshotChunk>;
  headers(hash: Uint8Array, count: number): readonly BlockHeader[];
}

type PlannedRequest = Exclude<keyof SnapshotAnswers, "hash"> | "hashes";

/** Responds from a chain like a well-behaved peer. */
export function honest({ chain }: Origin, serving: SnapshotServing): SnapshotAnswers {
  const server = new SnapshotServer(chain, serving);
  return {
    hash: (height) => chain.hashByNumber(height),
    status: () => available(server.status(), "snap-status"),
    blocks(below) {
      if (below > chain.best().header.number) throw missing("snap-blocks");
      const blocks: SnapshotBlock[] = [];
      for (let number = Math.max(1, below - 400); number < below; number++) {
        const hash = chain.hashByNumber(number)!;
        blocks.push({ encoded: chain.encodedBlock(hash)!, totalDifficulty: chain.totalDifficulty(hash)! });
      }
      return blocks;
    },
    chunk: async (blockNumber, from) => available(server.chunk(blockNumber, from), "snap-chunk"),
    headers(hash, count) {
      const headers: BlockHeader[] = [];
      for (let next = chain.headerByHash(hash); next !== undefined && headers.length < count; ) {
        headers.push(BlockHeader.decode(next.encode("compressed"), chain.network, "compressed"));
        next = chain.headerByHash(next.parentHash);
      }
      return available(headers.length > 0 ? headers : undefined, "headers");
    },
  };
}

function available<T>(value: T | undefined, protocol: string): T {
  if (value === undefined) throw missing(protocol);
  return value;
}

export function missing(protocol: string): NetworkingError {
  return new NetworkingError({ code: "NOT_AVAILABLE", protocol });
}

/** Peers that serve snapshots, in this process. */
export class SnapshotNetwork {
  readonly reports: { peer: PeerId; event: ScoringEvent }[] = [];
  readonly requests: { peer: PeerId; kind: PlannedRequest; what: number }[] = [];
  private readonly connected = new Map<PeerId, { peer: Peer; answers: SnapshotAnswers }>();

  get api(): PeerNetwork {
    return this as unknown as PeerNetwork;
  }

  add(
    id: PeerId,
    chain: Chain,
    answers: SnapshotAnswers,
    servesSnapshots = true,
    direction: Peer["direction"] = "outbound",
  ): void {
    const { header, hash, totalDifficulty } = chain.best();
    const status = { bestNumber: header.number, bestHash: hash, totalDifficulty };
    const capabilities = { ...UNLIMITED, servesSnapshots };
    this.connected.set(id, { peer: { id, direction, status, capabilities } as Peer, answers });
  }

  remove(id: PeerId): void {
    this.connected.delete(id);
  }

  count(kind: PlannedRequest): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  peers = (): readonly Peer[] => [...this.connected.values()].map(({ peer }) => peer);
  peer = (id: PeerId): Peer | undefined => this.connected.get(id)?.peer;

  report(peer: PeerId, event: ScoringEvent): void {
    this.reports.push({ peer, event });
  }

  on = () => () => undefined;

  hashes = (id: PeerId, heights: readonly number[]) =>
    this.answer(id, "hashes", heights[0]!, (answers) => heights.map((height) => answers.hash(height)));
  snapshotStatus = (id: PeerId) => this.answer(id, "status", 0, (answers) => answers.status());
  snapshotBlocks = (id: PeerId, below: number) => this.answer(id, "blocks", below, (answers) => answers.blocks(below));
  snapshotChunk = (id: PeerId, block: number, from: number) =>
    this.answer(id, "chunk", from, (answers) => answers.chunk(block, from));
  headers = (id: PeerId, hash: Uint8Array, count: number) =>
    this.answer(id, "headers", count, (answers) => answers.headers(hash, count));

  private async answer<T>(
    id: PeerId,
    kind: PlannedRequest,
    what: number,
    read: (answers: SnapshotAnswers) => T | Promise<T>,
  ): Promise<T> {
    this.requests.push({ peer: id, kind, what });
    await new Promise(setImmediate);
    const peer = this.connected.get(id);
    if (peer === undefined) throw new NetworkingError({ code: "DISCONNECTED", peer: id });
    return read(peer.answers);
  }
}
