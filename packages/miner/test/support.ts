import assert from "node:assert/strict";
import { type Chain, localBlock, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { fromHex, keccak256, type Timers, toHex, utf8 } from "@cambium/primitives";
import { Block, signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import {
  BlockBuilder,
  type BlockTemplate,
  MinerError,
  type PendingTransactionSource,
  searchNonce,
  solutionOfPartialMerkle,
  solvedBlock,
} from "../src/index.js";
import { decodeTemplate, encodeTemplate } from "../src/server/template-encoding.js";
import type { BlockBuilderOptions } from "../src/templates/block-builder.js";

export const network = NETWORKS.local;
/** The local network without execution lists, whose headers are of version 0. */
export const withoutLists: NetworkConfig = {
  ...network,
  ruleHeights: { ...network.ruleHeights, rskip144: -1, rskip351: -1, rskip535: -1 },
};
export const REWARD = fromHex("ec4ddeb4380ad69b3e509baad9f158cdf4e4681d");
/** Clock of the tests, in seconds. */
export const NOW = 1_700_000_000;

/** Private key of an account funded by the local genesis: `cow`, `cow1`, … `cow9`. */
export function keyOf(name: string): Uint8Array {
  return keccak256(utf8(name));
}

export function addressOf(name: string): Uint8Array {
  return signTransaction({ nonce: 0n, gasPrice: 0n, gasLimit: 0n }, keyOf(name)).sender!;
}

/** A signed transaction; by default a plain transfer. */
export function signed(name: string, own: Partial<TransactionRequest> = {}): Transaction {
  const plain = { nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, to: new Uint8Array(20).fill(7), value: 1n };
  return signTransaction({ ...plain, ...own }, keyOf(name));
}

/** A pool that returns its transactions in insertion order. */
export class ListPool implements PendingTransactionSource {
  readonly evicted: string[] = [];
  transactions: Transaction[];

  constructor(...transactions: Transaction[]) {
    this.transactions = transactions;
  }

  ordered(): readonly Transaction[] {
    return this.transactions;
  }

  evict(hashes: readonly Uint8Array[]): void {
    const gone = new Set(hashes.map(toHex));
    this.evicted.push(...gone);
    this.transactions = this.transactions.filter(({ hash }) => !gone.has(toHex(hash)));
  }

  clear(): void {
    this.transactions = [];
  }

  /** Removes the transactions of the best chain. */
  settle(chain: Chain): void {
    this.transactions = this.transactions.filter(({ hash }) => chain.findTransaction(hash) === undefined);
  }
}

export interface Bench {
  chain: Chain;
  pool: ListPool;
  builder: BlockBuilder;
  /** Builds, solves and imports one block, which must become the best block. */
  mine(): Promise<Block>;
}

/** A new chain and a builder on it. */
export async function bench(
  options: Partial<BlockBuilderOptions> & { network?: NetworkConfig; pool?: ListPool } = {},
): Promise<Bench> {
  const { network: chosen = network, pool = new ListPool(), ...own } = options;
  const chain = await openChain({ network: chosen, database: new MemoryDatabase(), now: () => NOW });
  const settings = { rewardAddress: REWARD, identity: "TEST-1", timeBudget: 60_000, ...own };
  const builder = new BlockBuilder({ chain, pool, now: () => NOW * 1000 }, settings);
  const mine = async () => {
    // Decodes the template like another node of a pool.
    const template = decodeTemplate(encodeTemplate(builder.build()), chosen);
    const block = await solve(template, chosen);
    const result = await chain.import(localBlock(block));
    assert.equal(result.kind, "imported-best", result.kind === "invalid" ? JSON.stringify(result.fault, plain) : "");
    pool.settle(chain);
    return block;
  };
  return { chain, pool, builder, mine };
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value instanceof Uint8Array ? toHex(value) : value;
}

/** The template solved with a minimal parent block, decoded from its encoding like a received block. */
export async function solve(template: BlockTemplate, chosen: NetworkConfig = network): Promise<Block> {
  const coinbase = taggedCoinbase(template.hashForMergedMining);
  const id = transactionId(coinbase);
  const header = await searchNonce(canonicalParentHeader(id, Number(template.header.timestamp), 0), template.target);
  const solution = solutionOfPartialMerkle({ header, coinbase, merkleHashes: [id], transactionCount: 1 });
  return Block.decode(solvedBlock(template, solution, chosen).encode(), chosen);
}

/** Timers controlled by the test. */
export class ManualTimers implements Timers {
  private readonly actions = new Map<number, { action: () => void; once: boolean }>();
  private next = 0;

  after(_: number, action: () => void): () => void {
    return this.add(action, true);
  }

  every(_: number, action: () => void): () => void {
    return this.add(action, false);
  }

  private add(action: () => void, once: boolean): () => void {
    const id = this.next++;
    this.actions.set(id, { action, once });
    return () => this.actions.delete(id);
  }

  get count(): number {
    return this.actions.size;
  }

  /** Fires the one-shot or the repeating timers. */
  run(kind: "once" | "repeated"): void {
    for (const [id, { action, once }] of [...this.actions]) {
      if (once !== (kind === "once")) continue;
      if (once) this.actions.delete(id);
      action();
    }
  }
}

/** Code of the {@link MinerError} with which an action fails. */
export async function codeOf(action: () => unknown): Promise<string | undefined> {
  try {
    await action();
  } catch (error) {
    assert(error instanceof MinerError, String(error));
    return error.code;
  }
  return undefined;
}

/** Creation code that deploys `runtime` (at most 255 bytes). */
export function deploying(runtime: string): Uint8Array {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  return fromHex(`60${length}600c60003960${length}6000f3${runtime}`);
}
