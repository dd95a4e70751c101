import { encodeRlp, numberToBytes, type RlpInput, StrictRlp, toHex } from "@cambium/primitives";
import type { PoolChange, PooledTransaction } from "@cambium/txpool";
import { Transaction } from "@cambium/types";

/** Maximum size in bytes of the transactions in a mirror. A larger pool of the writer is not mirrored. */
export const MAX_MIRRORED = 64 * 1024 * 1024;

/** A transaction of the pool in a message. */
export interface SentTransaction {
  transaction: Transaction;
  sender: Uint8Array;
  isPending: boolean;
}

/** A change of a transaction, see `PoolChange`. */
export type SentChange =
  | ({ kind: "added" } & SentTransaction)
  | { kind: "last"; id: string; isPending: boolean }
  | { kind: "queued" | "removed"; id: string };

/** Changes of the pool at one moment; without changes, a sign of life. */
export interface PoolNews {
  /** Identifier that changes when the writer restarts. */
  epoch: string;
  /** Number of the latest message with changes; a message with changes increments it. */
  sequence: number;
  changes: readonly SentChange[];
  /** Ids of transactions that became pending, to be announced to clients. */
  pending: readonly string[];
}

/** A part of all transactions, as of the message with a number. */
export interface PoolPart {
  epoch: string;
  sequence: number;
  transactions: readonly SentTransaction[];
}

const KINDS = ["added", "last", "queued", "removed"] as const;
/** Maximum number of items in a message, which has no room for more. */
const MAX_ITEMS = 100_000;

/** The items of a change or of a transaction, encoded by {@link encodeNews} and {@link encodePart}. */
export function changeItem({ kind, pooled }: PoolChange): RlpInput {
  const code = numberToBytes(KINDS.indexOf(kind));
  const state = numberToBytes(pooled.isPending ? 1 : 0);
  if (kind === "added") return [code, ...transactionItems(pooled)];
  return kind === "last" ? [code, pooled.transaction.hash, state] : [code, pooled.transaction.hash];
}

export function transactionItems({ transaction, sender, isPending }: PooledTransaction): RlpInput[] {
  return [transaction.encoded, sender, numberToBytes(isPending ? 1 : 0)];
}

export function encodeNews(
  epoch: Uint8Array,
  sequence: number,
  changes: readonly RlpInput[],
  pending: readonly Uint8Array[],
): Uint8Array {
  return encodeRlp([epoch, numberToBytes(sequence), changes, pending]);
}

export function encodePart(epoch: Uint8Array, sequence: number, transactions: readonly RlpInput[]): Uint8Array {
  return encodeRlp([epoch, numberToBytes(sequence), transactions]);
}

const { readWholeList, readList, readTuple, readBytes, readHash, readUint } = new StrictRlp(
  (what, reason, cause) => new Error(`malformed ${what} of the writer's pool: ${reason}`, { cause }),
);

/** Decodes a message. Throws an error with the reason if it is malformed. */
export function decodeNews(data: Uint8Array): PoolNews {
  const items = readWholeList(data, "news", 4);
  if (items.length !== 4) throw new Error("malformed news of the writer's pool");
  const [epoch, sequence, changes, pending] = items as [Item, Item, Item, Item];
  return {
    epoch: toHex(readBytes(epoch, "epoch", 8)),
    sequence: readUint(sequence, "sequence"),
    changes: readList(changes, "changes", MAX_ITEMS).map(decodeChange),
    pending: readList(pending, "pending", MAX_ITEMS).map((item) => toHex(readHash(item, "hash"))),
  };
}

/** Decodes a part, like {@link decodeNews}. */
export function decodePart(data: Uint8Array): PoolPart {
  const items = readWholeList(data, "part", 3);
  if (items.length !== 3) throw new Error("malformed part of the writer's pool");
  const [epoch, sequence, transactions] = items as [Item, Item, Item];
  return {
    epoch: toHex(readBytes(epoch, "epoch", 8)),
    sequence: readUint(sequence, "sequence"),
    transactions: readList(transactions, "transactions", MAX_ITEMS).map((item) =>
      decodeTransaction(readTuple(item, "transaction", 3)),
    ),
  };
}

type Item = Parameters<typeof readHash>[0];

function decodeChange(item: Item): SentChange {
  const [code, ...rest] = readList(item, "change", 4);
  const kind = code && KINDS[readUint(code, "kind", KINDS.length - 1)];
  if (kind === "added") return { kind, ...decodeTransaction(rest) };
  const [hash, state] = rest;
  if (kind === undefined || hash === undefined) throw new Error("malformed change of the writer's pool");
  const id = toHex(readHash(hash, "hash"));
  if (kind !== "last") return { kind, id };
  return { kind, id, isPending: state !== undefined && readUint(state, "state", 1) === 1 };
}

function decodeTransaction([encoded, sender, state]: readonly Item[]): SentTransaction {
  if (encoded === undefined || sender === undefined || state === undefined) {
    throw new Error("malformed transaction of the writer's pool");
  }
  // The copy has its own memory: a view would keep the whole message.
  const transaction = Transaction.decode(readBytes(encoded, "transaction", MAX_MIRRORED).slice());
  const address = readBytes(sender, "sender", 20).slice();
  transaction.setSender(address);
  return { transaction, sender: address, isPending: readUint(state, "state", 1) === 1 };
}
