import type { ExecutingBlock, WorldState } from "@cambium/state";
import type { Log, Transaction } from "@cambium/types";
import type { Tracer } from "./tracer.js";

/** One transaction of a block, to be executed: `spec/04 §2.4`, `§2.5`. */
export interface TransactionRun {
  transaction: Transaction;
  /** Position in the block; what TXINDEX pushed before RSKIP-191. */
  index: number;
  block: ExecutingBlock;
  state: WorldState;
  /** Gas used so far by the transaction's list, and the list's limit (`spec/02 §6.3`, `§6.4`). */
  gasUsedBefore: bigint;
  listGasLimit: bigint;
  /** Lower-case hex of accounts self-destructed by earlier transactions of the list (`spec/04 §4.4`). */
  deletedInList: ReadonlySet<string>;
  /** Whether the fee goes to the reward contract with this transaction (before RSKIP-144) or is the caller's to credit. */
  creditFee: boolean;
  tracer?: Tracer;
}

/** Why a transaction cannot be in a block at all; nothing of it stays in the state. */
export type RejectionCode =
  | "INIT_CODE_SIZE"
  | "GAS_LIMIT"
  | "INTRINSIC_GAS"
  | "NONCE"
  | "BALANCE"
  | "ADDRESS_LENGTH"
  | "SIGNATURE"
  | "INTERNAL_ERROR";

/** Kind of failure of the outermost frame, as `test/vectors/state-tests` names them. */
export type ExceptionKind =
  | "out-of-gas"
  | "invalid-opcode"
  | "bad-jump"
  | "stack-underflow"
  | "stack-overflow"
  | "invalid-gas"
  | "static-violation"
  | "contract-error"
  | "other";

/** What an executed transaction did. */
export interface TransactionOutcome {
  /** Receipt status. */
  status: 0 | 1;
  gasUsed: number;
  /** Not always gasUsed times price (`spec/04 §12`, 24). */
  fee: bigint;
  /** Gas deducted as refund. */
  refund: number;
  logs: readonly Log[];
  /** null when there is none at all. */
  output: Uint8Array | null;
  exception?: { kind: ExceptionKind; message: string };
  reverted: boolean;
  /** Address of a creation transaction, whether or not it succeeded. */
  created?: Uint8Array;
  /** Accounts removed at the end, lower-case hex. */
  deleted: readonly string[];
  /** Lower-case hex of native contracts called anywhere but in nested creations (`spec/04 §9.3`, step 3). */
  calledContracts: ReadonlySet<string>;
}

/** A call that leaves no trace in the chain: `eth_call`, estimation (`spec/04 §2.6`). */
export interface LocalCall {
  from: Uint8Array;
  /** Empty is a creation. */
  to: Uint8Array;
  data: Uint8Array;
  value: bigint;
  gasPrice: bigint;
  gasLimit: bigint;
}

export interface LocalCallOutcome extends TransactionOutcome {
  /** Peak of gas used within a frame, and what the estimate needs besides (`spec/04 §2.6`). */
  maxGasUsed: number;
  movedRemainingGasToChild: boolean;
  callWithValuePerformed: boolean;
}
