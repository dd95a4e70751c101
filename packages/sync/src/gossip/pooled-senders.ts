import { keccak256 } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import { blockItems, packSenders } from "@cambium/types";

/**
 * Returns the packed senders of a block's transactions as far as the pool knows them; undefined if it knows none. Bytes
 * with the hash of an accepted transaction are its encoding, which covers the signature. The hash of a decoded
 * transaction is insufficient: two with different signers can share it (`writeV` of `types`).
 */
export function pooledSenders(encoded: Uint8Array, pool: Pick<PoolReader, "knownSender">): Uint8Array | undefined {
  const [, transactions] = blockItems(encoded);
  const senders = transactions.items.map(({ raw }) => pool.knownSender(keccak256(raw)));
  return senders.some((sender) => sender !== undefined) ? packSenders(senders) : undefined;
}
