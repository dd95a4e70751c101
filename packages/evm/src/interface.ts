import type { ExecutingBlock, WorldState } from "@cambium/state";
import type { Log, Transaction } from "@cambium/types";
import type { ExceptionKind } from "./errors.js";
import type { Tracer } from "./tracer.js";

/**
 * Called often during an execution, which throws `ExecutionInterrupted` once it returns true. `gas` is the price of the
 * next native call, which cannot be interrupted; 0 otherwise.
 */
export type InterruptionCheck = (gas: number) => boolean;

/** A transaction of a block to execute: `spec/04 §2.4`, `§2.5`. */
export interface TransactionRun {
  transaction: Transaction;
  /** Position in the block, which TXINDEX pushed before RSKIP-191. */
  index: number;
  block: ExecutingBlock;
  state: WorldState;
  /** Gas used so far in the transaction's list, and the list's limit (`spec/02 §6.3`, `§6.4`). */
  gasUsedBefore: bigint;
  listGasLimit: bigint;
  /** Accounts that earlier transactions of the list destroyed, as lower-case hex (`spec/04 §4.4`). */
  deletedInList: ReadonlySet<string>;
  /** Whether this transaction credits its fee to the reward contract (before RSKIP-144); otherwise the caller does. */
  creditFee: boolean;
  tracer?: Tracer;
}

/** Result of an executed transaction. */
export interface TransactionOutcome {
  /** Receipt status. */
  status: 0 | 1;
  gasUsed: number;
  /** Wei; not always gasUsed times price (`spec/04 §12`, 24). */
  fee: bigint;
  /** Gas deducted as refund. */
  refund: number;
  logs: readonly Log[];
  /** null if there is no output at all. */
  output: Uint8Array | null;
  exception?: { kind: ExceptionKind; message: string; isNative?: boolean };
  reverted: boolean;
  /** Address of the created contract, set even if the creation failed. */
  created?: Uint8Array;
  /** Accounts removed at the end of the transaction, as lower-case hex. */
  deleted: readonly string[];
  /** Native contracts called outside nested creations, as lower-case hex (`spec/04 §9.3`, step 3). */
  calledContracts: ReadonlySet<string>;
}

/** A call without effect on the chain: `eth_call` and gas estimation (`spec/04 §2.6`). */
export interface LocalCall {
  from: Uint8Array;
  /** Empty for a creation. */
  to: Uint8Array;
  data: Uint8Array;
  value: bigint;
  gasPrice: bigint;
  gasLimit: bigint;
}

export interface LocalCallOutcome extends TransactionOutcome {
  /** Peak of gas used within a frame, with the other inputs of the estimate (`spec/04 §2.6`). */
  maxGasUsed: number;
  movedRemainingGasToChild: boolean;
  /** Gas to add to the estimate because a call moved value. */
  stipend: number;
}
