import type { CallKind } from "@cambium/state";
import type { Log } from "@cambium/types";
import type { FrameFailure } from "./errors.js";

/** One step, before the opcode runs. The views are valid during the call only; copy what is to be kept. */
export interface TracedStep {
  op: number;
  /** Undefined for an undefined opcode. */
  name: string | undefined;
  pc: number;
  depth: number;
  /** Gas left before the step. */
  gas: number;
  /** Account whose storage the code works on. */
  address: Uint8Array;
  /** Bottom first. */
  stack(): bigint[];
  /** A copy; its length is a multiple of 32. */
  memory(): Uint8Array;
}

/** A call or creation about to run, or a call to an account without code. Native contracts open no frame. */
export interface TracedFrame {
  kind: CallKind | "create" | "create2";
  depth: number;
  from: Uint8Array;
  /** Account the code works on; the new address for a creation. */
  to: Uint8Array;
  codeAddress: Uint8Array;
  value: bigint;
  /** Call data, or the init code of a creation. */
  input: Uint8Array;
  gas: number;
  /** False for a call to an account without code, which is left at once. */
  hasCode: boolean;
}

export interface TracedResult {
  output: Uint8Array;
  gasUsed: number;
  reverted: boolean;
  failure?: FrameFailure;
}

/** What may be watched of an execution (`spec/04 §8`). Hooks must not change anything; absent ones cost nothing. */
export interface Tracer {
  step?(step: TracedStep): void;
  /**
   * Full cost of the step that has just ended well, forwarded gas included; for a call after its callee has finished.
   * Failing steps have none.
   */
  stepDone?(gasCost: number, depth: number): void;
  enter?(frame: TracedFrame): void;
  /** Before the code of a creation is deposited. */
  exit?(result: TracedResult): void;
  /** Right after the exit of a creation that ended well: what its code cost, or why it is not deposited. */
  deposit?(gasCost: number, failure?: FrameFailure): void;
  /** `amount` is the balance moved, 0 when there was none. */
  selfDestruct?(address: Uint8Array, beneficiary: Uint8Array, amount: bigint, depth: number): void;
  /** A log of the frame that runs, or of the native contract it calls; dropped again when the frame fails. */
  log?(log: Log): void;
  /** Payment of the reward contract in a direct transaction. */
  payment?(from: Uint8Array, to: Uint8Array, amount: bigint): void;
}
