import { fromHex, toHex } from "@cambium/primitives";
import type { PooledTransaction } from "@cambium/txpool";
import { signTransaction, type TransactionRequest } from "@cambium/types";
import { KEY } from "./fake-chain.js";

/** A transaction as the pool returns it, with a sender set by the test. */
export function pooled(
  request: Partial<TransactionRequest>,
  { isPending = true, sender }: { isPending?: boolean; sender?: string } = {},
): PooledTransaction {
  const transaction = signTransaction({ nonce: 0n, gasPrice: 1n, gasLimit: 21_000n, chainId: 33, ...request }, KEY);
  return {
    transaction,
    id: toHex(transaction.hash),
    sender: sender === undefined ? transaction.sender! : fromHex(sender),
    isPending,
    isLocal: true,
    arrival: 0,
    since: { time: 0, block: 0 },
  };
}
