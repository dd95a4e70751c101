import type { CallKind } from "@cambium/state";
import type { Log } from "@cambium/types";
import type { ExceptionKind, FrameFailure } from "./errors.js";

/** One step, before the opcode runs. Its views are valid only during the callback; copy what must be kept. */
export interface TracedStep {
  op: number;
  /** Undefined for an undefined opcode. */
  name: string | undefined;
  pc: number;
  /** Whether this is the STOP behind the end of the code. */
  isImplicit: boolean;
  depth: number;
  /** Gas left before the step. */
  gas: number;
  /** Account whose storage the code uses. */
  address: Uint8Array;
  /** Bottom item first. */
  stack(): bigint[];
  /** A copy; its length is a multiple of 32. */
  memory(): Uint8Array;
  /** Returns a copy of the data that RETURNDATACOPY would read. */
  returnData(): Uint8Array;
  /** Refund counter of all open frames. */
  refund(): number;
}

/** The step that failed its frame. */
export interface FailedStep {
  op: number;
  /** Undefined for an undefined opcode. */
  name: string | undefined;
  /** Cost as far as it was known when the step failed. */
  gasCost: number;
  /** Number of items on the stack before the step. */
  stackSize: number;
}

/** A call or creation about to run, including a call to an account without code, or of a native contract. */
export interface TracedFrame {
  kind: CallKind | "create" | "create2";
  depth: number;
  from: Uint8Array;
  /** Account whose balance and storage the code uses; the new address for a creation. */
  to: Uint8Array;
  codeAddress: Uint8Array;
  value: bigint;
  /** Call data, or the init code of a creation. */
  input: Uint8Array;
  gas: number;
  code: Uint8Array;
  /** False for a call to an account without code, which ends immediately, or of a native contract. */
  hasCode: boolean;
}

export interface TracedResult {
  output: Uint8Array;
  gasUsed: number;
  reverted: boolean;
  failure?: FrameFailure;
}

/** Outcome of a transaction or call, with the members that tracers need. */
export interface TracedOutcome {
  status: 0 | 1;
  gasUsed: number;
  output: Uint8Array | null;
  reverted: boolean;
  exception?: { kind: ExceptionKind; message: string; isNative?: boolean };
}

/** Hooks to observe an execution (`spec/04 §8`). They must not change anything. */
export interface Tracer {
  step?(step: TracedStep): void;
  /**
   * Reports the full cost of the step that has just succeeded, including forwarded gas; for a call, after its callee
   * has ended. Not called for failing steps.
   */
  stepDone?(gasCost: number, depth: number): void;
  /** Called instead of {@link stepDone} if the step fails its frame, before the frame's {@link exit}. */
  stepFailed?(step: FailedStep): void;
  enter?(frame: TracedFrame): void;
  /** Called before the code of a creation is deposited. */
  exit?(result: TracedResult): void;
  /**
   * Called instead of {@link enter} for a native contract that code calls, which opens no frame and takes no steps. A
   * transaction that calls one directly reports neither.
   */
  enterNative?(call: TracedFrame): void;
  /** The logs that were reported since {@link enterNative} stay even if the call fails. */
  exitNative?(result: TracedResult): void;
  /**
   * Called right after the exit of a creation that succeeded, with the deposit cost or the reason for not depositing.
   */
  deposit?(gasCost: number, failure?: FrameFailure): void;
  /** Reports a self-destruct; `amount` is the balance moved, 0 if there was none. */
  selfDestruct?(address: Uint8Array, beneficiary: Uint8Array, amount: bigint, depth: number): void;
  /** A log of the running frame, or of the native contract it calls; dropped if the frame fails. */
  log?(log: Log): void;
  /** A payment of the reward contract in a direct transaction. */
  payment?(from: Uint8Array, to: Uint8Array, amount: bigint): void;
  /** The transaction or call has ended: its fee is paid, and destroyed accounts are removed. */
  end?(outcome: TracedOutcome): void;
}
