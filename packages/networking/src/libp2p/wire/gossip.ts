import { bigintToBytes, encodeRlp, numberToBytes, RawRlp, type RlpItem } from "@cambium/primitives";
import type { BlockAnnouncement } from "../../interface.js";
import { malformed, readBigUint, readHash, readList, readTuple, readUint, readWhole } from "../../rlp.js";
import { checkBlockShape } from "../../serving/answer-checks.js";
import {
  blockFrameBytes,
  MAX_GOSSIP_TRANSACTIONS,
  MAX_TRANSACTION_BYTES,
  TOTAL_DIFFICULTY_BYTES,
} from "../../shared/limits.js";
import type { RateBound } from "../../shared/rates.js";
import { batchTransactions, MAX_TRANSACTIONS_BYTES } from "../../shared/transactions.js";

/** Gossip topics, by the name in their id (`spec/07 §D.4`). */
export type GossipTopic = "block" | "block-hash" | "tx";

/** Limits of a topic (`spec/07 §D.5`). */
export interface TopicBounds {
  /** Bytes of a message; grows with the gas limit of blocks. */
  maxBytes(gasLimit: bigint): number;
  /** Maximum rate of a peer's messages: `tokens` in a burst, `tokens / window` on average. */
  rate: RateBound;
}

/** Rate of 3 every 10 seconds, 8 in a burst. */
const BLOCK_RATE: RateBound = { tokens: 8, window: 26_667 };
/** Rate of 200 a second, 1000 in a burst. */
const TRANSACTION_RATE: RateBound = { tokens: 1000, window: 5000 };

export const GOSSIP_TOPICS: Readonly<Record<GossipTopic, TopicBounds>> = {
  block: { maxBytes: blockFrameBytes, rate: BLOCK_RATE },
  "block-hash": { maxBytes: () => 128, rate: BLOCK_RATE },
  tx: { maxBytes: () => MAX_TRANSACTIONS_BYTES, rate: TRANSACTION_RATE },
};

/** Checks the lists of a gossiped block and returns the bytes. Throws `MALFORMED`. */
export function decodeGossipBlock(payload: Uint8Array): Uint8Array {
  checkBlockShape(payload);
  return payload;
}

export function encodeAnnouncement({ hash, number, totalDifficulty }: BlockAnnouncement): Uint8Array {
  return encodeRlp([hash, numberToBytes(number), bigintToBytes(totalDifficulty)]);
}

/** Decodes an announcement. Throws `MALFORMED`. */
export function decodeAnnouncement(payload: Uint8Array): BlockAnnouncement {
  const what = "announcement";
  const [hash, number, totalDifficulty] = readTuple(readWhole(payload, what), what, 3);
  return {
    hash: readHash(hash!, "announced hash"),
    number: readUint(number!, "announced number"),
    totalDifficulty: readBigUint(totalDifficulty!, "announced total difficulty", TOTAL_DIFFICULTY_BYTES),
  };
}

/**
 * Decodes the RLP of 1 to {@link MAX_GOSSIP_TRANSACTIONS} transactions. A transaction is a list that begins with a
 * string; a list of transactions begins with a list. Throws `MALFORMED`.
 */
export function decodeGossipTransactions(payload: Uint8Array): Uint8Array[] {
  const what = "transactions";
  const whole = readWhole(payload, what);
  const items = readList(whole, what, MAX_GOSSIP_TRANSACTIONS);
  if (items.length === 0) throw malformed(what, "empty");
  const transactions: RlpItem[] = items[0]!.isList ? items : [whole];
  return transactions.map((item) => {
    if (!item.isList) throw malformed(what, "a string among lists");
    if (item.raw.length > MAX_TRANSACTION_BYTES) throw malformed(what, "a transaction is too long");
    return item.raw;
  });
}

/**
 * Packs transactions, in their order, into as few messages as possible. A message is a single transaction, unchanged,
 * or a list within the limits of count and bytes. Transactions that are too long for any message are omitted.
 */
export function packTransactions(encoded: readonly Uint8Array[]): Uint8Array[] {
  return batchTransactions(encoded).map((batch) =>
    batch.length === 1 ? batch[0]! : encodeRlp(batch.map((transaction) => new RawRlp(transaction))),
  );
}
