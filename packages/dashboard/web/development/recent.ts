import { call, callAlone } from "../node/client.js";
import type { Block, Hex, Receipt, Transaction } from "../node/types.js";

/** Blocks that are looked through for transactions and contracts. */
export const MAX_BLOCKS = 500;
const MAX_TRANSACTIONS = 50;
const MAX_CONTRACTS = 50;
/** A block with more transactions is not traced for contracts that others create. */
const MAX_TRACED = 50;
const MAX_KEPT = 2_000;
/** Blocks that are read together. */
const STEP = 50;
/** Gas of a transaction that creates a contract, at least. */
const CREATION_GAS = 53_000;

export interface RecentTransaction {
  transaction: Transaction;
  receipt: Receipt;
}

export interface CreatedContract {
  address: Hex;
  creator: Hex;
  transaction: Hex;
  block: number;
}

export interface Recent {
  /** The newest first. */
  transactions: readonly RecentTransaction[];
  /** Lowest block that was looked at. */
  from: number;
}

type FullBlock = Omit<Block, "transactions"> & { transactions: readonly Transaction[] };

/** Caches data read from blocks, by hash: blocks never change. */
class Kept<T> {
  private readonly known = new Map<string, Promise<T>>();

  get(hash: string, read: () => Promise<T>): Promise<T> {
    const value = this.known.get(hash) ?? read();
    this.known.delete(hash);
    this.known.set(hash, value);
    for (const [oldest] of this.known) {
      if (this.known.size <= MAX_KEPT) break;
      this.known.delete(oldest);
    }
    value.catch(() => this.known.delete(hash));
    return value;
  }
}

const transactionsByBlock = new Kept<readonly RecentTransaction[]>();
const contractsByBlock = new Kept<readonly CreatedContract[]>();

/** The newest transactions, back from the best block. */
export async function readRecent(height: number): Promise<Recent> {
  const found = await inRecentBlocks(height, MAX_TRANSACTIONS, transactionsOf);
  return { transactions: found, from: Math.max(height - MAX_BLOCKS + 1, 0) };
}

/** The newest contracts, also those that other contracts created. */
export function readContracts(height: number): Promise<readonly CreatedContract[]> {
  return inRecentBlocks(height, MAX_CONTRACTS, (block) =>
    contractsByBlock.get(block.hash, async () => contractsOf(Number(block.number), await transactionsOf(block))),
  );
}

async function inRecentBlocks<T>(
  height: number,
  maximum: number,
  read: (block: Block) => Promise<readonly T[]>,
): Promise<T[]> {
  const found: T[] = [];
  const lowest = Math.max(height - MAX_BLOCKS + 1, 0);
  for (let top = height; top >= lowest && found.length < maximum; top -= STEP) {
    const numbers = Array.from({ length: Math.min(STEP, top - lowest + 1) }, (_, i) => top - i);
    const blocks = await Promise.all(
      numbers.map((number) => call<Block | null>("eth_getBlockByNumber", `0x${number.toString(16)}`, false)),
    );
    const filled = blocks.filter((block): block is Block => block !== null && block.transactions.length > 0);
    for (const part of await Promise.all(filled.map(read))) for (const one of part) found.push(one);
  }
  return found.slice(0, maximum);
}

function transactionsOf({ hash }: Block): Promise<readonly RecentTransaction[]> {
  return transactionsByBlock.get(hash, async () => {
    const [block, receipts] = await Promise.all([
      call<FullBlock | null>("eth_getBlockByHash", hash, true),
      call<Receipt[] | null>("eth_getBlockReceipts", hash),
    ]);
    const all = (block?.transactions ?? []).flatMap((transaction, i) => {
      const receipt = receipts?.[i];
      return receipt === undefined ? [] : [{ transaction, receipt }];
    });
    return all.toReversed();
  });
}

interface Trace {
  type: string;
  action: { from: Hex };
  result?: { address?: Hex } | null;
  error?: string;
  transactionHash: Hex;
}

/** Contracts that transactions and other contracts created. */
async function contractsOf(number: number, transactions: readonly RecentTransaction[]): Promise<CreatedContract[]> {
  const own = transactions.filter(({ receipt }) => Number(receipt.status) === 1 && receipt.contractAddress !== null);
  const isTraced = transactions.some(({ receipt }) => Number(receipt.gasUsed) >= CREATION_GAS);
  const traces =
    isTraced && transactions.length <= MAX_TRACED
      ? await callAlone<Trace[] | null>("trace_block", `0x${number.toString(16)}`).catch(() => null)
      : null;
  if (traces === null) {
    return own.map(({ transaction, receipt }) => ({
      address: receipt.contractAddress!,
      creator: transaction.from,
      transaction: transaction.hash,
      block: number,
    }));
  }
  const isGood = new Set(
    transactions.filter(({ receipt }) => Number(receipt.status) === 1).map((one) => one.transaction.hash),
  );
  return traces.flatMap(({ type, action, result, error, transactionHash }) => {
    const address = result?.address;
    if (type !== "create" || error !== undefined || !address || !isGood.has(transactionHash)) return [];
    return [{ address, creator: action.from, transaction: transactionHash, block: number }];
  });
}
