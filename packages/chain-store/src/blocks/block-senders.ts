import { type KeyValueReader, numberKey, type Write } from "@cambium/database";
import { concatBytes } from "@cambium/primitives";
import { type Block, packKnownSenders, SENDER_BYTES } from "@cambium/types";
import type { BlockId } from "../state/stored-states.js";
import { TABLES } from "../tables/tables.js";

// Senders of the transactions of executed blocks, so that readers need not recover them. They follow from the block's
// hash, so that an entry is never out of date. Blocks that this node has not executed, or that an earlier release has
// stored, have no entry: their senders are recovered.

/** Key of a block's senders. Neighbouring blocks are next to each other, because most readers read a range of them. */
export function sendersKey({ number, hash }: BlockId): Uint8Array {
  return concatBytes(numberKey(number), hash);
}

/** Returns changes that store the known senders of a block; none if no transaction is signed. */
export function sendersWrites(block: Block): Write[] {
  const { transactions } = block;
  if (!transactions.some(({ isSigned }) => isSigned)) return [];
  return [{ table: TABLES.senders, key: sendersKey(block), value: packKnownSenders(transactions) }];
}

/** Packed senders of a block with this number of transactions; undefined unless the entry has this length. */
export function storedSenders(reader: KeyValueReader, block: BlockId, transactions: number): Uint8Array | undefined {
  const stored = reader.get(TABLES.senders, sendersKey(block));
  return stored?.length === transactions * SENDER_BYTES ? stored : undefined;
}
