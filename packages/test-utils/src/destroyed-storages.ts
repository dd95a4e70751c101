import { type Chain, localBlock, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { BlockBuilder, searchNonce, solutionOfCoinbase, solvedBlock } from "@cambium/miner";
import { bigintToFixedBytes, concatBytes, contractAddress2, fromHex, keccak256, utf8 } from "@cambium/primitives";
import { Block, signTransaction, type Transaction } from "@cambium/types";
import { NOW } from "./mined-chains.js";

/** Creates a contract from the data of the call, by CREATE2 with the salt 0. */
const FACTORY = new Uint8Array(20).fill(0xfa);
const FACTORY_CODE = fromHex("36600060003760003660006000f500");

/** The local network with a contract that creates others again at the same addresses. */
export const network: NetworkConfig = {
  ...NETWORKS.local,
  genesis: {
    ...NETWORKS.local.genesis,
    accounts: [...NETWORKS.local.genesis.accounts, { address: FACTORY, balance: 0n, code: FACTORY_CODE }],
  },
};

/** Numbers of the cells that a contract has when it was created: enough for a storage of more than 1,024 bytes. */
export const CELLS = 20;

/** Code of a contract that destroys itself if it is called with one byte, and sets a cell if it is called with two words. */
function runtime(index: number): string {
  return `36600114600f5760203560003555005b33ff${byte(index)}`;
}

/** Sets the cells from {@link CELLS} down to 1, and deploys {@link runtime}. */
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

/** What a transaction does to a contract. */
export interface StorageEdit {
  kind: "create" | "write" | "destroy";
  index: number;
  /** Of `write`: the cell and its value. */
  slot?: number;
  value?: number;
}

/** A transaction of an account that the local genesis has funded. */
export function editing({ kind, index, slot = 1, value = 0 }: StorageEdit, nonce: bigint): Transaction {
  const cell = [slot, value].map((one) => bigintToFixedBytes(BigInt(one), 32));
  const data = { create: initCode(index), write: concatBytes(...cell), destroy: Uint8Array.of(0) }[kind];
  const to = kind === "create" ? FACTORY : contractAt(index);
  return signTransaction({ nonce, gasPrice: 1n, gasLimit: 900_000n, to, value: 0n, data }, OWNER);
}

const OWNER = keccak256(utf8("cow"));
const OWNER_ADDRESS = signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 0n }, OWNER).sender!;

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

  /** A block that makes these changes, which is not imported. */
  async block(parentHash: Uint8Array, edits: readonly StorageEdit[]): Promise<Block> {
    const nonce = this.chain.stateAfter(parentHash)!.getNonce(OWNER_ADDRESS);
    this.transactions = edits.map((edit, i) => editing(edit, nonce + BigInt(i)));
    const behind = Number(this.chain.headerByHash(parentHash)!.timestamp) - NOW;
    // Blocks with the same content on the same parent are different ones.
    const template = this.builder.build({ parentHash, adjustment: Math.max(0, behind) + 1 + (this.built++ % 5) });
    const coinbase = taggedCoinbase(template.hashForMergedMining);
    const unsolved = canonicalParentHeader(transactionId(coinbase), Number(template.header.timestamp), 0);
    const header = await searchNonce(unsolved, template.target);
    return Block.decode(solvedBlock(template, solutionOfCoinbase(header, coinbase), network).encode(), network);
  }
}

const edit = (kind: StorageEdit["kind"], index: number, slot?: number, value?: number) =>
  ({ kind, index, slot, value }) as StorageEdit;

/** What the blocks of {@link destroyedStorages} do. Contract 1 is destroyed twice. */
const STORY: readonly (readonly StorageEdit[])[] = [
  [edit("create", 1), edit("create", 2)],
  [edit("write", 1, 1, 7), edit("write", 2, 90, 7)],
  [edit("create", 3)],
  [edit("destroy", 1), edit("write", 2, 1, 0)],
  [edit("write", 3, 2, 5)],
  [edit("create", 1), edit("write", 1, 3, 9)],
  [edit("write", 1, 91, 9), edit("write", 3, 3, 0)],
  [],
  [edit("destroy", 1), edit("destroy", 2), edit("create", 2)],
  [edit("write", 2, 4, 4)],
  [edit("create", 1)],
  [edit("write", 1, 5, 1), edit("destroy", 3)],
  [edit("write", 1, 6, 0)],
  [],
  [edit("write", 2, 7, 0)],
];

/** The blocks of a chain in which large storages are destroyed and created again, with some beside it. */
export async function destroyedStorages(): Promise<Block[]> {
  const chain = await openChain({ network, database: new MemoryDatabase(), now: () => NOW });
  const mine = new StorageMine(chain);
  const blocks: Block[] = [];
  const add = async (parent: Uint8Array, edits: readonly StorageEdit[]) => {
    const block = await mine.block(parent, edits);
    await chain.import(localBlock(block));
    blocks.push(block);
    return block;
  };
  let parent = chain.genesis.hash;
  for (const [i, edits] of STORY.entries()) {
    const before = parent;
    parent = (await add(parent, edits)).hash;
    if (i % 4 === 3) await add(before, [edit("destroy", 2)]);
  }
  return blocks;
}
