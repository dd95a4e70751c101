import { type Chain, localBlock, openChain } from "@cambium/chain";
import { exportFile } from "@cambium/chain-maintenance";
import type { NetworkConfig } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import {
  canonicalParentHeader,
  compactProofRoot,
  compressCoinbase,
  parentHeaderWork,
  proofOfWorkTarget,
  TAG,
  transactionId,
} from "@cambium/merged-mining";
import { BlockBuilder } from "@cambium/miner";
import { concatBytes, fromHex } from "@cambium/primitives";
import { Block, type BlockHeader } from "@cambium/types";
import { RandomSource } from "./random-source.js";
import { Traffic } from "./traffic.js";

/** Time of block 1 in seconds: import treats blocks as old ones. */
const START = 1_600_000_000;
/** Seconds between two blocks of main. */
const SPACING = 25;
/** Shares of heights with this number of siblings, which become uncles: 1.1 on average. */
const SIBLINGS = [0.36, 0.33, 0.2, 0.08, 0.03];
/** Miners, which have a coinbase each. */
const MINERS = 8;
/** Hashes in a Merkle proof: the parent block has up to 4,096 transactions. */
const PROOF_HASHES = 12;
/** Blocks that build on the same parent-chain block. */
const BLOCKS_A_PARENT = 20;

const TARGET = proofOfWorkTarget(1n);

/** Parts of a pool's coinbase, 217 bytes with the tagged hash, of which a header keeps 129. */
const COINBASE_START = fromHex(`0100000001${"00".repeat(32)}ffffffff50`);
const COINBASE_SCRIPT = 80;
const REWARD_OUTPUT = fromHex(`ffffffff0240be4025000000001976a914${"51".repeat(20)}88ac`);
const TAG_OUTPUT = fromHex("00000000000000002b6a29");

export interface ChainOrder {
  network: NetworkConfig;
  entries: number;
  blocks: number;
  /** Receives the number of blocks mined so far, often. */
  onProgress: (blocks: number) => void;
}

/**
 * Mines blocks like those of main on a large state, which they change, and exports them. Continues a chain that was not
 * completed.
 */
export async function makeChain(location: string, file: string, order: ChainOrder): Promise<void> {
  const chain = await openChain({ network: order.network, database: await openLevelDatabase(location) });
  try {
    const maker = new ChainMaker(chain, order);
    while (maker.mined < order.blocks) {
      await maker.mine();
      order.onProgress(maker.mined);
    }
    await exportFile(chain, file, { fromBlock: 2 });
  } finally {
    await chain.close();
  }
}

class ChainMaker {
  private readonly random: RandomSource;
  private readonly traffic: Traffic;
  private readonly builder: BlockBuilder;
  /** Headers of blocks that lost, by number, for the heights that can still have uncles. */
  private readonly siblings = new Map<number, BlockHeader[]>();
  private readonly miners: readonly Uint8Array[];
  private previousParent: Uint8Array;
  private number: number;

  constructor(
    private readonly chain: Chain,
    { network, entries }: ChainOrder,
  ) {
    const { number, hash } = chain.best().header;
    this.number = number;
    this.random = new RandomSource(number);
    this.previousParent = this.random.bytes(32);
    this.traffic = new Traffic(network, entries, this.random, (address) => chain.stateAfter(hash)!.getNonce(address));
    this.miners = Array.from({ length: MINERS }, () => this.random.bytes(20));
    const parts = {
      chain: this.withSiblings(),
      pool: { ordered: () => [], evict: () => undefined },
      now: () => (START + this.number * SPACING) * 1_000,
    };
    this.builder = new BlockBuilder(parts, { rewardAddress: this.miners[0]!, identity: "rehearsal" });
  }

  /** Number of mined blocks: the state is that of block 1. */
  get mined(): number {
    return this.number - 1;
  }

  /** Mines a block, and siblings that the next one includes as uncles. */
  async mine(): Promise<void> {
    const number = ++this.number;
    if (number % BLOCKS_A_PARENT === 0) this.previousParent = this.random.bytes(32);
    const transactions = this.traffic.ofBlock(number);
    const chosen = { coinbase: this.miners[this.random.below(MINERS)]! };
    const template = this.builder.build({ transactions, chosen });
    const block = new Block(this.solved(template.header), template.transactions, template.uncles);
    const result = await this.chain.import(localBlock(block, template.execution));
    const fault = result.kind === "invalid" ? result.fault.code : result.kind;
    if (result.kind !== "imported-best") throw new Error(`block ${number} of the bench is invalid: ${fault}`);
    if (block.transactions.length !== transactions.length + 1) throw new Error(`block ${number} left transactions out`);
    this.siblings.delete(number - 10);
    const count = this.random.choice(SIBLINGS);
    const sibling = () => this.solved(template.header.with({ coinbase: this.miners[this.random.below(MINERS)]! }));
    this.siblings.set(number, Array.from({ length: count }, sibling));
  }

  /** Returns the chain with the siblings, as if their blocks had been imported. */
  private withSiblings(): Chain {
    const { chain, siblings } = this;
    const all = () => [...siblings.values()].flat();
    return Object.assign(Object.create(chain) as Chain, {
      hashesByNumber: (number: number) => [
        ...chain.hashesByNumber(number),
        ...(siblings.get(number) ?? []).map(({ hash }) => hash),
      ],
      headerByHash: (hash: Uint8Array) =>
        all().find((header) => header.hash.every((byte, i) => byte === hash[i])) ?? chain.headerByHash(hash),
    });
  }

  /** Completes a header with a proof of main's size. */
  private solved(header: BlockHeader): BlockHeader {
    const coinbase = concatBytes(
      ...[COINBASE_START, this.random.bytes(COINBASE_SCRIPT), REWARD_OUTPUT],
      ...[TAG_OUTPUT, TAG, header.hashForMergedMining, new Uint8Array(4)],
    );
    const merkleProof = this.random.bytes(PROOF_HASHES * 32);
    const root = compactProofRoot(transactionId(coinbase), merkleProof);
    const parentChainHeader = canonicalParentHeader(root, Number(header.timestamp), 0);
    parentChainHeader.set(this.previousParent, 4);
    const view = new DataView(parentChainHeader.buffer);
    for (let nonce = this.random.below(2 ** 32); parentHeaderWork(parentChainHeader) > TARGET; nonce++) {
      view.setUint32(76, nonce, true);
    }
    return header.with({ parentChainHeader, merkleProof, parentChainCoinbase: compressCoinbase(coinbase) });
  }
}
