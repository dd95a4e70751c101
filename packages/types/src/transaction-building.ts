import { REWARD_ADDRESS } from "@cambium/config";
import { bigintToBytes, EMPTY_BYTES, numberToBytes, signHash } from "@cambium/primitives";
import { Transaction } from "./transaction.js";
import type { TransactionFields } from "./transaction-decoding.js";

/** A transaction as a wallet describes it. */
export interface TransactionRequest {
  nonce: bigint;
  /**
   * Gas price. Null and zero are the same price: null is encoded as by other libraries, 80, and zero as 00
   * (`spec/01 §3.3`).
   */
  gasPrice: bigint | null;
  gasLimit: bigint;
  /** Recipient; absent or empty for a contract creation. */
  to?: Uint8Array;
  value?: bigint;
  data?: Uint8Array;
  /** Chain id for replay protection; absent or 0 for a legacy signature. */
  chainId?: number;
}

const ZERO_BYTE = Uint8Array.of(0);

/** Returns the fields of an unsigned transaction. */
export function fieldsOf(request: TransactionRequest): TransactionFields {
  return {
    nonce: bigintToBytes(request.nonce),
    gasPrice: request.gasPrice,
    // An empty gas limit would be invalid (`spec/01 §3.3`).
    gasLimit: request.gasLimit === 0n ? ZERO_BYTE : bigintToBytes(request.gasLimit),
    to: request.to ?? EMPTY_BYTES,
    value: request.value ?? 0n,
    data: request.data ?? EMPTY_BYTES,
    signature: null,
    unsignedChainId: request.chainId ?? 0,
    isReward: false,
  };
}

/** Builds an unsigned transaction; wallets sign its signing hash. */
export function buildTransaction(request: TransactionRequest): Transaction {
  return new Transaction(fieldsOf(request));
}

/** Builds a transaction signed with a 32-byte private key. */
export function signTransaction(request: TransactionRequest, privateKey: Uint8Array): Transaction {
  const { r, s, recovery } = signHash(buildTransaction(request).signingHash, privateKey);
  const signature = {
    chainId: request.chainId ?? 0,
    recovery: recovery === 1 ? (1 as const) : (0 as const),
    r: bigintToBytes(r),
    s: bigintToBytes(s),
  };
  return new Transaction({ ...fieldsOf(request), signature });
}

/**
 * Builds the reward transaction that ends block `blockNumber` (`spec/05 §2.1`); its bytes depend only on the number.
 */
export function rewardTransaction(blockNumber: number): Transaction {
  return new Transaction({
    nonce: numberToBytes(blockNumber - 1),
    gasPrice: 0n,
    gasLimit: ZERO_BYTE,
    to: REWARD_ADDRESS,
    value: 0n,
    data: EMPTY_BYTES,
    signature: null,
    unsignedChainId: 0,
    isReward: true,
  });
}
