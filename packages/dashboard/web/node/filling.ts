import type { Method } from "./openrpc.js";
import type { Block, Hex, Quantity, Receipt, Transaction } from "./types.js";

/** Calls a method of the node; rejects if the node refuses. */
export type Ask = <T>(method: string, ...params: unknown[]) => Promise<T>;

/** Objects of the node with which parameters are filled. */
export interface Facts {
  /** The block of the last transaction that a user sent, or the best block. */
  block: Pick<Block, "number" | "hash" | "timestamp">;
  /** Undefined if the latest blocks have none. */
  transaction: Transaction | undefined;
  /** An account of the node, or the last sender. */
  account: string;
  /** Another account, which calls may pay. */
  other: string;
  /** The contract that the last transaction called or created; undefined if there is none. */
  contract: string | undefined;
}

/** The contract of the bridge exists on every chain. */
const BRIDGE = "0x0000000000000000000000000000000001000006";
/** Number of blocks that are searched for the last transaction. */
const LATEST = 30;

/** Reads the data that {@link filledParams} needs, in a few requests. */
export async function readFacts(ask: Ask): Promise<Facts> {
  const best = await ask<Block>("eth_getBlockByNumber", "latest", true);
  const transaction = sentIn(best) ?? (await lastSent(ask, Number(best.number) - 1));
  const accounts = await ask<string[]>("eth_accounts").catch(() => []);
  const block =
    transaction === undefined ? best : await ask<Block>("eth_getBlockByNumber", transaction.blockNumber, false);
  const account = accounts[0] ?? transaction?.from ?? best.miner;
  const other = accounts[1] ?? transaction?.to ?? best.miner;
  const contract = transaction === undefined ? undefined : await contractOf(ask, transaction);
  return { block, transaction, account, other, contract };
}

type FullBlock = { transactions: readonly (Transaction | string)[] };

/** The last transaction of a block, except the reward, which has no signature. */
function sentIn({ transactions }: FullBlock): Transaction | undefined {
  const all = transactions.filter((transaction) => typeof transaction !== "string");
  return all.findLast(({ gas }) => Number(gas) > 0);
}

async function lastSent(ask: Ask, top: number): Promise<Transaction | undefined> {
  const numbers = Array.from({ length: Math.max(Math.min(LATEST, top + 1), 0) }, (_, i) => top - i);
  const blocks = await Promise.all(
    numbers.map((number) => ask<FullBlock>("eth_getBlockByNumber", quantity(number), true)),
  );
  for (const block of blocks) {
    const found = sentIn(block);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function contractOf(ask: Ask, { hash, to }: Transaction): Promise<string | undefined> {
  if (to === null) return (await ask<Receipt>("eth_getTransactionReceipt", hash)).contractAddress ?? undefined;
  return (await ask<Hex>("eth_getCode", to, "latest")) === "0x" ? undefined : to;
}

function quantity(value: number): Quantity {
  return `0x${value.toString(16)}`;
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const NUMBER = /^0x[0-9a-f]{1,12}$/i;
const BLOCK_NAMES: ReadonlySet<string> = new Set(["block", "number", "newestBlock", "fromBlock"]);
/** Methods about data of contracts. */
const OF_CONTRACTS = /Code|Storage|Proof|Logs|Filter|AccountInfo|Artifact/;
const OF_TRANSACTION_OBJECTS: ReadonlySet<string> = new Set(["gasPrice", "data", "nonce", "topics"]);

/**
 * Returns values for the parameters of a method: its example, with objects of the node. Undefined if the node lacks
 * them.
 */
export async function filledParams(method: Method, facts: Facts, ask: Ask): Promise<unknown[]> {
  const special = SPECIAL[method.name];
  const example = method.examples?.[0]?.params.map(({ value }) => value) ?? [];
  const usual = method.params.map(({ name, schema }, i) => filled(example[i], name, schema.title, { method, facts }));
  return special === undefined ? usual : special({ facts, ask, usual });
}

interface Context {
  method: Pick<Method, "name">;
  facts: Facts;
}

function filled(value: unknown, name: string, title: string | undefined, context: Context): unknown {
  const { facts, method } = context;
  if (Array.isArray(value)) return value.map((one) => filled(one, name, title, context));
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([key]) => !OF_TRANSACTION_OBJECTS.has(key));
    return Object.fromEntries(
      members.map(([key, member]) => [
        filled(key, "address", undefined, context),
        filled(member, key, undefined, context),
      ]),
    );
  }
  if (typeof value !== "string") return value;
  if (title === "transaction hash") return facts.transaction?.hash;
  if (title === "block hash" || name === "blockHash") return facts.block.hash;
  if (BLOCK_NAMES.has(name) && title !== "DATA" && NUMBER.test(value)) return facts.block.number;
  if (!ADDRESS.test(value)) return value;
  if (name === "to") return facts.other;
  if (name === "from" || name === "account" || name === "sender") return facts.account;
  if (method.name.startsWith("personal_") || method.name.startsWith("txpool_")) return facts.account;
  if (method.name.startsWith("hardhat_") || method.name.startsWith("anvil_")) return facts.other;
  return OF_CONTRACTS.test(method.name) ? (facts.contract ?? BRIDGE) : facts.account;
}

interface Question {
  facts: Facts;
  ask: Ask;
  usual: unknown[];
}

type Filling = (question: Question) => unknown[] | Promise<unknown[]>;

/** A transaction that the node has signed and not sent; undefined if it holds no keys. */
async function signed({ facts, ask }: Question): Promise<unknown> {
  try {
    const request = { from: facts.account, to: facts.other, value: "0x1" };
    return (await ask<{ raw: Hex }>("eth_signTransaction", request)).raw;
  } catch {
    return undefined;
  }
}

const raw: Filling = async (question) => [await signed(question), ...question.usual.slice(1)];
const later: Filling = async ({ ask, usual }) => {
  const { timestamp } = await ask<Block>("eth_getBlockByNumber", "latest", false);
  return [Math.max(Number(timestamp), Math.floor(Date.now() / 1000)) + 60, ...usual.slice(1)];
};
const filter: Filling = async ({ ask, facts }) => [
  await ask<Hex>("eth_newFilter", { fromBlock: facts.block.number }).catch(() => undefined),
];
const dump: Filling = async ({ ask }) => [await ask<Hex>("anvil_dumpState").catch(() => undefined)];
/** Returns the hash of a waiting transaction. */
const pending: Filling = async ({ ask }) => {
  const [first] = await ask<{ hash: Hex }[]>("eth_pendingTransactions").catch(() => []);
  return [first?.hash];
};
const snapshot: Filling = async ({ ask }) => [await ask<Hex>("evm_snapshot").catch(() => undefined)];

/** Methods whose parameters must first be requested from the node. */
const SPECIAL: Readonly<Record<string, Filling>> = {
  eth_sendRawTransaction: raw,
  eth_sendRawTransactionSync: raw,
  trace_rawTransaction: raw,
  eth_getTransactionBySenderAndNonce: ({ facts: { transaction } }) => [transaction?.from, transaction?.nonce],
  eth_getFilterChanges: filter,
  eth_getFilterLogs: filter,
  eth_uninstallFilter: filter,
  evm_revert: snapshot,
  anvil_revert: snapshot,
  evm_setNextBlockTimestamp: later,
  anvil_setNextBlockTimestamp: later,
  evm_setTime: later,
  anvil_setTime: later,
  debug_traceBlock: async ({ facts, ask, usual }) => [
    await ask<Hex>("debug_getRawBlock", facts.block.number).catch(() => undefined),
    ...usual.slice(1),
  ],
  anvil_loadState: dump,
  hardhat_loadState: dump,
  hardhat_dropTransaction: pending,
  anvil_dropTransaction: pending,
  anvil_reorg: () => [1, []],
  anvil_rollback: () => [1],
};
