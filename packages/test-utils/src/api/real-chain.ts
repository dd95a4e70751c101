import assert from "node:assert/strict";
import { type Chain, localBlock, openChain } from "@cambium/chain";
import { local } from "@cambium/config";
import { type Database, MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { BlockBuilder, searchNonce, solutionOfPartialMerkle, solvedBlock } from "@cambium/miner";
import { concatBytes, contractAddress, fromHex, keccak256, toHex, utf8 } from "@cambium/primitives";
import { Block, signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";

/** Time of these chains' clock in seconds. */
export const NOW = 1_700_000_000;
/** Key of an account that has coins in the local genesis. */
const KEY = keccak256(utf8("cow"));
export const SENDER = fromHex("cd2a3d9f938e13cd947ec05abc7fe734df8dd826");
export const REWARDED = fromHex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d");

/** A chain of the local network with real, mined blocks. */
export class RealChain {
  private nonce = 0n;
  private transactions: Transaction[] = [];

  private constructor(readonly chain: Chain) {}

  static async open(database: Database = new MemoryDatabase()): Promise<RealChain> {
    return new RealChain(await openChain({ network: local, database, now: () => NOW }));
  }

  /** Adds a transaction to the next block; by default a plain transfer. */
  send(own: Partial<TransactionRequest> = {}): Transaction {
    const plain = { gasPrice: 1n, gasLimit: 2_000_000n, value: 0n, chainId: 33 };
    const transaction = signTransaction({ ...plain, nonce: this.nonce++, ...own }, KEY);
    this.transactions.push(transaction);
    return transaction;
  }

  /** Sends the creation of a contract with this code; returns its address. */
  deploy(runtime: string, value = 0n): Uint8Array {
    const address = contractAddress(SENDER, this.nonce);
    this.send({ data: creationOf(runtime), value });
    return address;
  }

  /** Mines the sent transactions in a block. */
  async mine(): Promise<Block> {
    const transactions = this.transactions;
    this.transactions = [];
    const pool = { ordered: () => transactions, evict: () => assert.fail("a transaction cannot be mined") };
    const options = { rewardAddress: REWARDED, identity: "TEST-1", timeBudget: 60_000 };
    const builder = new BlockBuilder({ chain: this.chain, pool, now: () => NOW * 1000 }, options);
    const block = await solved(builder.build());
    const result = await this.chain.import(localBlock(block));
    assert.equal(
      result.kind,
      "imported-best",
      JSON.stringify(result, (_, v) => (typeof v === "bigint" ? `${v}` : v)),
    );
    return block;
  }
}

async function solved(template: ReturnType<BlockBuilder["build"]>): Promise<Block> {
  const coinbase = taggedCoinbase(template.hashForMergedMining);
  const id = transactionId(coinbase);
  const header = await searchNonce(canonicalParentHeader(id, Number(template.header.timestamp), 0), template.target);
  const solution = solutionOfPartialMerkle({ header, coinbase, merkleHashes: [id], transactionCount: 1 });
  return Block.decode(solvedBlock(template, solution, local).encode(), local);
}

/** Init code that deploys `runtime`, at most 255 bytes. */
export function creationOf(runtime: string): Uint8Array {
  const code = fromHex(runtime);
  return concatBytes(Uint8Array.of(0x60, code.length), fromHex("80600b6000396000f3"), code);
}

/** Code that increments its first cell. */
export const COUNTER = "60016000540160005500";
/** Code that stores the second word of input in the cell given by the first. */
export const SETTER = "6020356000355500";
/** Code that runs until it is out of gas. */
export const LOOP = "5b600056";
/** Code that returns the first 32 bytes of input. */
export const ECHO = "60003560005260206000f3";
/** Code that logs one topic without data. */
export const LOGGER = "604260006000a100";
/** Code that reverts without a reason. */
export const REVERTER = "60006000fd";

/**
 * Returns code that calls an account with the first word of its input, and 100 wei if `paying`; it returns the word
 * that the call returned.
 */
export function callerOf(callee: Uint8Array, paying = false): string {
  const [value, address] = [paying ? "64" : "00", toHex(callee)];
  return `600035600052602060006020600060${value}73${address}5af15060206000f3`;
}
