import { BRIDGE_ADDRESS, HD_WALLET_UTILS_ADDRESS } from "@cambium/config";
import { bigintToFixedBytes, fromHex, keccak256 } from "@cambium/primitives";
import { signTransaction, type Transaction, type TransactionRequest } from "@cambium/types";
import { GAS_LIMIT, PAYER_KEY } from "./network.js";
import { CONTRACTS } from "./surroundings.js";

/** Transactions that fill a block without a program. */
export interface TransactionRow {
  name: string;
  /** Requests without nonces, which may depend on the number of previous blocks. */
  requests: (block: number) => Omit<TransactionRequest, "nonce" | "gasPrice">[];
}

const TRANSFER_GAS = 21_000;
const NON_ZERO_BYTE_GAS = 68;
const ZERO_BYTE_GAS = 4;
const CREATION_GAS = 53_000;

export function signed(request: Omit<TransactionRequest, "gasPrice">): Transaction {
  return signTransaction({ ...request, gasPrice: 0n }, PAYER_KEY);
}

function fresh(block: number, index: number): Uint8Array {
  return keccak256(bigintToFixedBytes(BigInt(block * 10_000 + index), 32)).slice(12);
}

/** Returns as many transactions as fit. */
function many(
  gasLimit: number,
  requestAt: (index: number) => Omit<TransactionRequest, "nonce" | "gasPrice" | "gasLimit">,
) {
  const count = Math.floor(GAS_LIMIT / gasLimit);
  return Array.from({ length: count }, (_, i) => ({ ...requestAt(i), gasLimit: BigInt(gasLimit) }));
}

/** Returns a transaction with as much data of one value as the gas buys. */
function single(to: Uint8Array, value: number): Omit<TransactionRequest, "nonce" | "gasPrice">[] {
  const gas = value === 0 ? ZERO_BYTE_GAS : NON_ZERO_BYTE_GAS;
  const length = Math.floor((GAS_LIMIT - 200_000) / gas);
  return [{ to, data: new Uint8Array(length).fill(value), gasLimit: BigInt(GAS_LIMIT) }];
}

export const TRANSACTION_ROWS: readonly TransactionRow[] = [
  {
    name: "transfers to new accounts",
    requests: (block) => many(TRANSFER_GAS, (i) => ({ to: fresh(block, i), value: 1n })),
  },
  { name: "calls of an empty contract", requests: () => many(TRANSFER_GAS, () => ({ to: CONTRACTS.stops })) },
  { name: "creations of nothing", requests: () => many(CREATION_GAS, () => ({})) },
  { name: "a transaction of zeros", requests: () => single(CONTRACTS.stops, 0) },
  { name: "a transaction of ones", requests: () => single(CONTRACTS.stops, 1) },
  { name: "a transaction of zeros to the bridge", requests: () => single(BRIDGE_ADDRESS, 0) },
  { name: "a transaction of zeros to the wallet contract", requests: () => single(HD_WALLET_UTILS_ADDRESS, 0) },
  { name: "a transaction of zeros to MODEXP", requests: () => single(fromHex("05".padStart(40, "0")), 0) },
  { name: "a transaction of zeros to RIPEMD160", requests: () => single(fromHex("03".padStart(40, "0")), 0) },
];
