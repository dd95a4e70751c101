import { keccak256 } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import { blockItems, packSenders } from "@cambium/types";

/**
 * Packed senders of a block's transactions as far as the pool knows them; undefined if it knows none. Bytes with the hash of an
 * accepted transaction are its bytes, signature included, and have its sender. A transaction that is encoded otherwise has
 * another hash here, even if it has the same one when it is decoded.
 */
export function pooledSenders(encoded: Uint8Array, pool: Pick<PoolReader, "knownSender">): Uint8Array | undefined {
  const [, transactions] = blockItems(encoded);
  const senders = transactions.items.map(({ raw }) => pool.knownSender(keccak256(raw)));
  return senders.some((sender) => sender !== undefined) ? packSenders(senders) : undefined;
}
