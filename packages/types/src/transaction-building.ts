import { REWARD_ADDRESS } from "@cambium/config";
import { bigintToBytes, EMPTY_BYTES, numberToBytes, signHash } from "@cambium/primitives";
import { Transaction } from "./transaction.js";
import type { TransactionFields } from "./transaction-decoding.js";

/** A transaction in the terms of a wallet. */
export interface TransactionRequest {
  nonce: bigint;
  gasPrice: bigint;
  gasLimit: bigint;
  /** Left out or empty: contract creation. */
  to?: Uint8Array;
  value?: bigint;
  data?: Uint8Array;
  /** For replay protection; left out or 0: a legacy signature. */
  chainId?: number;
}

const ZERO_BYTE = Uint8Array.of(0);

function fieldsOf(request: TransactionRequest): TransactionFields {
  return {
    nonce: bigintToBytes(request.nonce),
    gasPrice: request.gasPrice,
    // an empty gas limit would be invalid (`spec/01 §3.3`)
    gasLimit: request.gasLimit === 0n ? ZERO_BYTE : bigintToBytes(request.gasLimit),
    to: request.to ?? EMPTY_BYTES,
    value: request.value ?? 0n,
    data: request.data ?? EMPTY_BYTES,
    signature: null,
    unsignedChainId: request.chainId ?? 0,
    isReward: false,
  };
}

/** An unsigned transaction; its signing hash is what a wallet signs. */
export function buildTransaction(request: TransactionRequest): Transaction {
  return new Transaction(fieldsOf(request));
}

/** A transaction signed with a 32-byte private key. */
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

/** The reward transaction that ends block `blockNumber` (`spec/05 §2.1`); its bytes depend on nothing else. */
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
