import { call, callAlone } from "../node/client.js";
import type { Block, Hex, Receipt, Transaction } from "../node/types.js";

/** Blocks that are looked through for transactions and contracts. */
export const MAX_BLOCKS = 500;
export const MAX_TRANSACTIONS = 50;
const MAX_CONTRACTS = 50;
/** A block with more transactions is not traced for contracts that others create. */
const MAX_TRACED = 50;
const MAX_KEPT = 2_000;
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
  transactions: readonly RecentTransaction[];
  contracts: readonly CreatedContract[];
  /** Lowest block that was looked at. */
  from: number;
}

type FullBlock = Omit<Block, "transactions"> & { transactions: readonly Transaction[] };

interface Content {
  transactions: readonly RecentTransaction[];
  contracts: readonly CreatedContract[];
}

/** Blocks by hash: they never change. */
const known = new Map<string, Promise<Content>>();

/** The newest transactions and contracts, back from the best block. */
export async function readRecent(height: number): Promise<Recent> {
  const transactions: RecentTransaction[] = [];
  const contracts: CreatedContract[] = [];
  const lowest = Math.max(height - MAX_BLOCKS + 1, 0);
  const step = 50;
  for (let top = height; top >= lowest; top -= step) {
    const numbers = Array.from({ length: Math.min(step, top - lowest + 1) }, (_, i) => top - i);
    for (const content of await Promise.all(numbers.map(contentOf))) {
      transactions.push(...(content?.transactions ?? []));
      contracts.push(...(content?.contracts ?? []));
    }
  }
  return {
    transactions: transactions.slice(0, MAX_TRANSACTIONS),
    contracts: contracts.slice(0, MAX_CONTRACTS),
    from: lowest,
  };
}

async function contentOf(number: number): Promise<Content | undefined> {
  const header = await call<Block | null>("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
  if (header === null) return undefined;
  const content = known.get(header.hash) ?? readContent(header);
  known.delete(header.hash);
  known.set(header.hash, content);
  for (const [oldest] of known) {
    if (known.size <= MAX_KEPT) break;
    known.delete(oldest);
  }
  content.catch(() => known.delete(header.hash));
  return content;
}

async function readContent({ hash, number, transactions: hashes }: Block): Promise<Content> {
  if (hashes.length === 0) return { transactions: [], contracts: [] };
  const [block, receipts] = await Promise.all([
    call<FullBlock | null>("eth_getBlockByHash", hash, true),
    call<Receipt[] | null>("eth_getBlockReceipts", hash),
  ]);
  const transactions = (block?.transactions ?? []).flatMap((transaction, i) => {
    const receipt = receipts?.[i];
    return receipt === undefined ? [] : [{ transaction, receipt }];
  });
  return { transactions: transactions.toReversed(), contracts: await contractsOf(Number(number), transactions) };
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
  const isGood = new Set(transactions.filter(({ receipt }) => Number(receipt.status) === 1).map((one) => one.transaction.hash));
  return traces.flatMap(({ type, action, result, error, transactionHash }) => {
    const address = result?.address;
    if (type !== "create" || error !== undefined || !address || !isGood.has(transactionHash)) return [];
    return [{ address, creator: action.from, transaction: transactionHash, block: number }];
  });
}
