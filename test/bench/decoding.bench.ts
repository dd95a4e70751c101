import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Chain, createChainEvm, ThreadedChain } from "@cambium/chain";
import type { BlockBody, NetworkEvent, Peer, PeerNetwork } from "@cambium/networking";
import { encodeRlp } from "@cambium/primitives";
import { GossipService, SyncEngine } from "@cambium/sync";
import { emptyChain, Mine, network, transfer } from "@cambium/test-utils/mined-chains";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { until } from "@cambium/test-utils/rpc-client";
import { TransactionPool } from "@cambium/txpool";
import { type Block, BlockHeader } from "@cambium/types";

type Print = (name: string, value: number, unit: string) => void;

const BLOCKS = 100;
/** Number of transfers in a block. */
const TRANSACTIONS = 100;
const now = () => Date.now() / 1000;
const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Measures the cost of a block from peers for a node with an empty pool, including execution and the recovery of its
 * signers.
 */
export async function run(print: Print): Promise<void> {
  const peer = await minedChain();
  const ways = { gossiped, synchronised };
  for (const [name, bring] of Object.entries(ways)) {
    const location = mkdtempSync(join(tmpdir(), "cambium-decoding-bench-"));
    const chain = await ThreadedChain.open({ network, location });
    const pool = new TransactionPool({ chain, evm: createChainEvm(network), now });
    const offer = new OfferingNetwork(peer);
    const before = process.cpuUsage();
    const stop = await bring(chain, pool, offer);
    await until(async () => chain.best().header.number === BLOCKS);
    const { user, system } = process.cpuUsage(before);
    print(
      `${name} block of ${TRANSACTIONS} transfers, processor time of all threads`,
      (user + system) / 1000 / BLOCKS,
      "ms",
    );
    await stop();
    pool.close();
    await chain.close();
    rmSync(location, { recursive: true });
  }
}

async function minedChain(): Promise<Chain> {
  const chain = await emptyChain();
  const mine = new Mine(chain);
  for (let i = 0; i < BLOCKS; i++) {
    mine.transactions = Array.from({ length: TRANSACTIONS }, (_, j) => transfer(BigInt(i * TRANSACTIONS + j)));
    await mine.block();
  }
  return chain;
}

async function gossiped(chain: ThreadedChain, pool: TransactionPool, offer: OfferingNetwork) {
  const engine = { isFarBehind: () => false, blockWanted: () => undefined };
  const gossip = new GossipService({ chain, pool, network: offer.api, engine, now, logger });
  gossip.start();
  for (const [index, bytes] of offer.encoded.entries()) {
    if ((await gossip.block(bytes, "peer")).verdict !== "accept")
      throw new Error(`block ${index + 1} was not accepted`);
  }
  return async () => gossip.stop();
}

async function synchronised(chain: ThreadedChain, _pool: TransactionPool, offer: OfferingNetwork) {
  const engine = new SyncEngine({ chain, network: offer.api, logger });
  engine.start();
  return () => engine.stop();
}

/** One peer that offers everything in encoded form. */
class OfferingNetwork {
  readonly encoded: readonly Uint8Array[];
  private readonly blocks: readonly Block[];
  private readonly headerBytes: ReadonlyMap<number, Uint8Array>;
  private readonly bodiesByHash: ReadonlyMap<string, BlockBody>;
  private readonly self: Peer;

  constructor(chain: Chain) {
    this.blocks = Array.from({ length: BLOCKS + 1 }, (_, number) => chain.blockByNumber(number)!);
    this.encoded = this.blocks.slice(1).map((block) => block.encode().slice());
    this.headerBytes = new Map(this.blocks.map(({ number, header }) => [number, header.encode("compressed")]));
    this.bodiesByHash = new Map(this.blocks.map((block) => [key(block.hash), bodyOf(block)]));
    const { header, hash, totalDifficulty } = chain.best();
    this.self = {
      id: "peer",
      address: { ip: "10.0.0.1", port: 1 },
      direction: "outbound",
      wire: "libp2p",
      capabilities: UNLIMITED,
      isTrusted: false,
      status: {
        bestNumber: header.number,
        bestHash: hash,
        totalDifficulty,
        earliestBody: 0,
        clientId: "bench",
      },
    };
  }

  /** The interface that the synchronisation uses. */
  get api(): PeerNetwork {
    return this as unknown as PeerNetwork;
  }

  readonly ownId = "self";
  peers = () => [this.self];
  peer = () => this.self;
  on = (_listener: (event: NetworkEvent) => void) => () => undefined;
  setGossipHandlers = () => undefined;
  publishBlockHash = async () => undefined;
  report = (_peer: string, event: string) => {
    if (event.startsWith("INVALID")) throw new Error(event);
  };
  hashes = async (_peer: string, heights: readonly number[]) => heights.map((number) => this.blocks[number]?.hash);
  skeleton = async () => [0, BLOCKS].map((number) => ({ number, hash: this.blocks[number]!.hash }));

  async headers(_peer: string, hash: Uint8Array, count: number): Promise<BlockHeader[]> {
    const first = this.blocks.findIndex((block) => key(block.hash) === key(hash));
    const numbers = Array.from({ length: Math.min(count, first + 1) }, (_, i) => first - i);
    return numbers.map((number) => BlockHeader.decode(this.headerBytes.get(number)!, network, "compressed"));
  }

  async *bodies(_peer: string, hashes: readonly Uint8Array[]): AsyncGenerator<BlockBody | undefined> {
    for (const hash of hashes) yield this.bodiesByHash.get(key(hash));
  }
}

function key(hash: Uint8Array): string {
  return Buffer.from(hash).toString("hex");
}

function bodyOf({ hash, header, transactions }: Block): BlockBody {
  return {
    hash,
    transactions: transactions.map(({ encoded }) => encoded),
    uncles: encodeRlp([]),
    extension: header.version === 0 ? undefined : header.encodeExtension(),
  };
}
