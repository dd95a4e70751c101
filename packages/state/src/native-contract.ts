import type { NetworkConfig, Rules } from "@cambium/config";
import type { BlockHeader, Log } from "@cambium/types";
import type { WorldState } from "./interface.js";

export { ContractFailure, TextlessFailure } from "./contract-failure.js";

/**
 * Interface between the interpreter (`evm`) and contracts written in TypeScript: precompiled contracts and the native
 * contracts of `contracts` and `bridge`. The packages do not depend on each other; `chain` connects them.
 */
export interface NativeContract {
  readonly address: Uint8Array;
  /** Name for traces and errors. */
  readonly name: string;
  /** Whether the contract exists at a block with these rules (`spec/04 §6.1`). */
  isActive(rules: Rules): boolean;
  /** Maximum input length of a message call once RSKIP-516 is active; undefined means no limit. */
  readonly maxInput?: number;
  /**
   * Whether calls get an internal-transaction record: true for the bridge, the reward contract and the native
   * contracts, not for the cryptographic ones (`spec/04 §8.3`).
   */
  readonly recordsInternalTransactions?: boolean;
  /**
   * Returns a lower bound of {@link gas} for calls of contracts, in constant time: a call with less gas is rejected
   * without computing more. 0 where {@link gas} may throw.
   */
  leastGas?(data: Uint8Array, rules: Rules): number;
  /**
   * Returns the gas cost of a call, a non-negative safe integer. `data` is null for the empty data field of a direct
   * transaction. A caller may pass a megabyte thousands of times a block, so only paid work may be linear in it. Throws
   * as {@link execute} does.
   */
  gas(data: Uint8Array | null, context: NativeCallContext): number;
  /**
   * Returns the output, possibly null (`spec/04 §6.1`, "data absent"). `data` may be a view of memory that changes
   * after the call: what is returned, logged or stored is copied by the caller, and a contract keeps nothing else of
   * it. Throws {@link ContractFailure} if the call fails. Other errors do not fail the call: they stop the import.
   */
  execute(data: Uint8Array | null, context: NativeCallContext): Uint8Array | null;
}

export type CallKind = "call" | "callcode" | "delegatecall" | "staticcall";

/** Context of a call to a native contract. Changes to `state` are dropped if the call fails. */
export interface NativeCallContext {
  readonly network: NetworkConfig;
  readonly rules: Rules;
  readonly block: ExecutingBlock;
  readonly state: WorldState;
  /** The outer transaction. */
  readonly transaction: ExecutingTransaction;
  /** Kind of the call: a direct call of the outer transaction, or the opcode used. */
  readonly kind: "transaction" | CallKind;
  /** Signer of the transaction, or the calling contract. */
  readonly caller: Uint8Array;
  readonly value: bigint;
  /** Depth of the calling frame; -1 for a direct transaction. */
  readonly depth: number;
  /** Hash of the transaction this call belongs to: the outer or the internal one (`spec/04 §8.3`). */
  transactionHash(): Uint8Array;
  /** Appends a log to the calling frame. It is kept even if the call fails (`spec/04 §4.3`). */
  log(entry: Log): void;
  /** Appends a sub-trace to a direct transaction's trace, for payments of the reward contract. */
  payment(from: Uint8Array, to: Uint8Array, amount: bigint): void;
}

/** The outer transaction as seen during execution. */
export interface ExecutingTransaction {
  readonly hash: Uint8Array;
  /** Sender, 20 bytes, or the single byte 00. */
  readonly sender: Uint8Array;
  /** Whether this is the block's last, unsigned transaction to the reward contract (`spec/05 §2.2`). */
  readonly isReward: boolean;
  /** Whether the call is an `eth_call` or a gas estimation. */
  readonly isLocalCall: boolean;
  /** Whether the signature is acceptable on this network (`spec/04 §2.1`). */
  readonly hasAcceptableSignature: boolean;
  readonly gasPrice: bigint;
  /** The signer's public key, 64 bytes, recovered on request; absent in local calls, which have no signature. */
  signerKey?(): Uint8Array | undefined;
}

/** The block under execution. */
export interface ExecutingBlock {
  readonly number: number;
  /** Timestamp in seconds, up to 2^63 - 1. */
  readonly timestamp: bigint;
  readonly parentHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly difficulty: bigint;
  /** The header field as a number. */
  readonly gasLimit: bigint;
  /** Whether the field has more than 32 bytes, as leading zeros: no code can start then (`spec/02 §10`, Q6). */
  readonly hasLongGasLimit?: boolean;
  /** Minimum gas price; 0 if the header has none. */
  readonly minimumGasPrice: bigint;
  readonly ancestors: AncestorReader;
}

/** Blocks of the executing block's own branch (not the best chain) by number; undefined if there is no such block. */
export interface AncestorReader {
  hash(number: number): Uint8Array | undefined;
  header(number: number): BlockHeader | undefined;
  /** Uncle headers listed in that block. */
  uncles(number: number): readonly BlockHeader[] | undefined;
  /** Total difficulty of the chain up to that block. */
  totalDifficulty(number: number): bigint | undefined;
}
