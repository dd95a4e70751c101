import { type Chain, localBlock, openChain } from "@cambium/chain";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { BlockBuilder, searchNonce, solutionOfCoinbase, solvedBlock } from "@cambium/miner";
import {
  bigintToFixedBytes,
  concatBytes,
  contractAddress,
  contractAddress2,
  fromHex,
  keccak256,
  utf8,
} from "@cambium/primitives";
import { Block, signTransaction, type Transaction } from "@cambium/types";
import { NOW, network } from "../mined-chains.js";
import { random } from "../random.js";

/** An account that the local genesis has funded. */
const OWNER = keccak256(utf8("cow"));
const OWNER_ADDRESS = signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 0n }, OWNER).sender!;

/**
 * Address of a factory. It creates a contract from the data of the call, by CREATE2 with the salt 0: repeatedly at the
 * same address.
 */
const FACTORY = contractAddress(OWNER_ADDRESS, 0n);
/** Init code that returns the code after it. */
const FACTORY_CODE = fromHex("600f600c600039600f6000f336600060003760003660006000f500");

/** Number of cells of a new contract: enough for a large storage (`FlatStateOptions`). */
export const CELLS = 60;

/**
 * Returns code of a contract that destroys itself if it is called with one byte, and sets a cell if it is called with
 * two words.
 */
function runtime(index: number): string {
  return `36600114600f5760203560003555005b33ff${byte(index)}`;
}

/** Returns init code that sets the cells from {@link CELLS} down to 1, and deploys {@link runtime}. */
function initCode(index: number): Uint8Array {
  const code = runtime(index);
  return fromHex(`60${byte(CELLS)}5b80198155600190038060025760${byte(code.length / 2)}80601a6000396000f3${code}`);
}

function byte(number: number): string {
  return number.toString(16).padStart(2, "0");
}

/** Address of one of the contracts. */
export function contractAt(index: number): Uint8Array {
  return contractAddress2(FACTORY, new Uint8Array(32), keccak256(initCode(index)));
}

/** Change of a contract by a transaction. */
export interface StorageEdit {
  kind: "create" | "write" | "destroy";
  index: number;
  /** Number of the cell for `write`. */
  slot?: number;
  value?: number;
}

function signed(nonce: bigint, to: Uint8Array | undefined, data: Uint8Array): Transaction {
  return signTransaction({ nonce, gasPrice: 1n, gasLimit: 1_600_000n, ...(to && { to }), value: 0n, data }, OWNER);
}

function editing({ kind, index, slot = 1, value = 0 }: StorageEdit, nonce: bigint): Transaction {
  const cell = [slot, value].map((one) => bigintToFixedBytes(BigInt(one), 32));
  const data = { create: initCode(index), write: concatBytes(...cell), destroy: Uint8Array.of(0) }[kind];
  return signed(nonce, kind === "create" ? FACTORY : contractAt(index), data);
}

/** Builds blocks on any block of a chain. */
export class StorageMine {
  private transactions: readonly Transaction[] = [];
  private readonly builder: BlockBuilder;
  private built = 0;

  constructor(readonly chain: Chain) {
    const pool = { ordered: () => this.transactions, evict: () => undefined };
    const options = { rewardAddress: new Uint8Array(20).fill(1), identity: "TEST-S", timeBudget: 60_000 };
    this.builder = new BlockBuilder({ chain, pool, now: () => NOW * 1000 }, options);
  }

  /** Returns the first block, on which the others can be built; it is not imported. */
  first(): Promise<Block> {
    return this.solved(this.chain.genesis.hash, [signed(0n, undefined, FACTORY_CODE)]);
  }

  /** Builds a block that makes these changes; it is not imported. */
  block(parentHash: Uint8Array, edits: readonly StorageEdit[]): Promise<Block> {
    const nonce = this.chain.stateAfter(parentHash)!.getNonce(OWNER_ADDRESS);
    const transactions = edits.map((edit, i) => editing(edit, nonce + BigInt(i)));
    return this.solved(parentHash, transactions);
  }

  private async solved(parentHash: Uint8Array, transactions: readonly Transaction[]): Promise<Block> {
    this.transactions = transactions;
    const behind = Number(this.chain.headerByHash(parentHash)!.timestamp) - NOW;
    // The shift makes blocks with the same content on the same parent different.
    const template = this.builder.build({ parentHash, adjustment: Math.max(0, behind) + 1 + (this.built++ % 5) });
    const coinbase = taggedCoinbase(template.hashForMergedMining);
    const unsolved = canonicalParentHeader(transactionId(coinbase), Number(template.header.timestamp), 0);
    const header = await searchNonce(unsolved, template.target);
    return Block.decode(solvedBlock(template, solutionOfCoinbase(header, coinbase), network).encode(), network);
  }
}

/** Imports blocks as they are built. */
class Telling {
  readonly blocks: Block[] = [];

  private constructor(
    readonly chain: Chain,
    private readonly mine: StorageMine,
  ) {}

  static async begin(): Promise<Telling> {
    const chain = await openChain({ network, database: new MemoryDatabase(), now: () => NOW });
    const telling = new Telling(chain, new StorageMine(chain));
    await telling.add(await telling.mine.first());
    return telling;
  }

  async on(parent: Block, edits: readonly StorageEdit[]): Promise<Block> {
    return this.add(await this.mine.block(parent.hash, edits));
  }

  private async add(block: Block): Promise<Block> {
    await this.chain.import(localBlock(block));
    this.blocks.push(block);
    return block;
  }
}

const create = (index: number): StorageEdit => ({ kind: "create", index });
const destroy = (index: number): StorageEdit => ({ kind: "destroy", index });
const write = (index: number, slot: number, value: number): StorageEdit => ({ kind: "write", index, slot, value });

/** Changes in the blocks of {@link destroyedStorages} after the first one. Contract 1 is destroyed twice. */
const STORY: readonly (readonly StorageEdit[])[] = [
  [create(1), create(2)],
  [write(1, 1, 7), write(2, 90, 7)],
  [create(3)],
  [destroy(1), write(2, 1, 0)],
  [write(3, 2, 5)],
  [create(1), write(1, 3, 9)],
  [write(1, 91, 9), write(3, 3, 0)],
  [],
  [destroy(1), destroy(2)],
  [create(2), write(2, 4, 4)],
  [create(1)],
  [write(1, 5, 1), destroy(3)],
  [write(1, 6, 0)],
  [],
  [write(2, 7, 0)],
];

/** Number of the last block of {@link destroyedStorages} that destroys a storage, on the best chain. */
export const LAST_DESTRUCTION = 13;

/** Returns the blocks of a chain in which large storages are destroyed and created again, with some small ones. */
export async function destroyedStorages(): Promise<Block[]> {
  const telling = await Telling.begin();
  let parent = telling.blocks[0]!;
  for (const [i, edits] of STORY.entries()) {
    const before = parent;
    parent = await telling.on(before, edits);
    if (i % 4 === 3) await telling.on(before, [destroy(2)]);
  }
  return telling.blocks;
}

/** Builds a chain of blocks that make such changes at random, a third of them on side branches when they arrive. */
export async function randomStorages(length: number, seed: number): Promise<Chain> {
  const next = random(seed);
  const upTo = (number: number) => Math.floor(next() * number);
  const telling = await Telling.begin();
  while (telling.blocks.length < length) {
    const back = next() < 0.7 ? 0 : 1 + upTo(4);
    const edits = Array.from({ length: upTo(4) }, () => {
      const index = 1 + upTo(3);
      return [create(index), destroy(index), write(index, 1 + upTo(CELLS), upTo(3))][upTo(3)]!;
    });
    await telling.on(telling.blocks[Math.max(0, telling.blocks.length - 1 - back)]!, edits);
  }
  return telling.chain;
}
