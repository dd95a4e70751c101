import assert from "node:assert/strict";
import { type Chain, consensusProfile, localBlock, openChain, type ValidationProfile } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { BlockBuilder, type BlockTemplate, searchNonce, solutionOfCoinbase, solvedBlock } from "@cambium/miner";
import { fromHex, keccak256, utf8 } from "@cambium/primitives";
import { type Block, type HeaderFields, signTransaction, type Transaction } from "@cambium/types";

export const network = NETWORKS.local;
/** Time of these chains' clock in seconds. */
export const NOW = 1_700_000_000;

export async function emptyChain(profile?: ValidationProfile, now = () => NOW): Promise<Chain> {
  return openChain({ network, database: new MemoryDatabase(), now, profile });
}

/** A chain that accepts blocks with wrong execution results or difficulties. */
export function lenientChain(now?: () => number): Promise<Chain> {
  const parentRules = consensusProfile.parentRules.filter(({ name }) => name !== "difficulty");
  return emptyChain({ ...consensusProfile, name: "lenient", parentRules, executionRules: [] }, now);
}

const REWARDS = {
  a: fromHex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d"),
  b: fromHex("fc4ddeb4380ad69b3e509baad9f158cdf4e4681d"),
};

/** Mines on a chain; chains mined with different brands have different blocks. */
export class Mine {
  transactions: Transaction[] = [];
  private readonly builder: BlockBuilder;

  constructor(
    readonly chain: Chain,
    brand: keyof typeof REWARDS = "a",
    now = () => NOW,
  ) {
    const pool = { ordered: () => this.transactions, evict: () => undefined };
    const options = { rewardAddress: REWARDS[brand], identity: `TEST-${brand}`, timeBudget: 60_000 };
    this.builder = new BlockBuilder({ chain, pool, now: () => now() * 1000 }, options);
  }

  async block(): Promise<Block> {
    const block = await solved(this.builder.build());
    const { kind } = await this.chain.import(localBlock(block));
    assert.equal(kind, "imported-best");
    this.transactions = [];
    return block;
  }

  async blocks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.block();
  }

  /** Mines a block after changing some header fields. */
  async changed(fields: Partial<HeaderFields>): Promise<Block> {
    const template = this.builder.build();
    const header = template.header.with(fields);
    const block = await solved({ ...template, header, hashForMergedMining: header.hashForMergedMining });
    const { kind } = await this.chain.import(localBlock(block));
    assert.equal(kind, "imported-best");
    return block;
  }
}

async function solved(template: BlockTemplate): Promise<Block> {
  const coinbase = taggedCoinbase(template.hashForMergedMining);
  const unsolved = canonicalParentHeader(transactionId(coinbase), Number(template.header.timestamp), 0);
  const header = await searchNonce(unsolved, template.target);
  return solvedBlock(template, solutionOfCoinbase(header, coinbase), network);
}

/** A transfer from a funded account of the local genesis. */
export function transfer(nonce: bigint): Transaction {
  const to = new Uint8Array(20).fill(7);
  return signTransaction({ nonce, gasPrice: 1n, gasLimit: 21_000n, to, value: 1n }, keccak256(utf8("cow")));
}

/** Copies the first blocks of a chain into another one. */
export async function copyOf(chain: Chain, height: number, into?: Chain): Promise<Chain> {
  const copy = into ?? (await emptyChain());
  for (let number = 1; number <= height; number++) await copy.import(localBlock(chain.blockByNumber(number)!));
  assert.equal(copy.best().header.number, height);
  return copy;
}

let short: Promise<Chain> | undefined;

/** A chain of three blocks, the second with a transaction, mined once for all tests. It must not be changed. */
export function chainOfThree(): Promise<Chain> {
  short ??= (async () => {
    const mine = new Mine(await emptyChain());
    await mine.block();
    mine.transactions = [transfer(0n)];
    await mine.blocks(2);
    return mine.chain;
  })();
  return short;
}

let longest: Promise<Mine> | undefined;

/** A chain of a thousand blocks, some with transactions, mined once for all tests. It must not be changed. */
export function thousand(): Promise<Chain> {
  longest ??= (async () => {
    const mine = new Mine(await emptyChain());
    let nonce = 0n;
    for (let i = 0; i < 1000; i++) {
      if (i % 7 === 0) mine.transactions = [transfer(nonce++)];
      await mine.block();
    }
    return mine;
  })();
  return longest.then(({ chain }) => chain);
}
