import { keccak256 } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import { blockItems, packSenders } from "@cambium/types";

/**
 * Packed senders of a block's transactions as far as the pool knows them; undefined if it knows none. Bytes with the
 * hash of a transaction that the pool accepted are its encoding, which covers the signature. The hash of a decoded
 * transaction would not do: two with different signers can share it (`writeV` of `types`).
 */
export function pooledSenders(encoded: Uint8Array, pool: Pick<PoolReader, "knownSender">): Uint8Array | undefined {
  const [, transactions] = blockItems(encoded);
  const senders = transactions.items.map(({ raw }) => pool.knownSender(keccak256(raw)));
  return senders.some((sender) => sender !== undefined) ? packSenders(senders) : undefined;
}
