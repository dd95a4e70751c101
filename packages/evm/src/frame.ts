import { EMPTY_BYTES } from "@cambium/primitives";
import type { CallKind, StateCheckpoint } from "@cambium/state";
import type { AnalysedCode } from "./code/analysed-code.js";
import type { FrameFailure } from "./errors.js";
import type { InternalTransaction } from "./internal-transaction.js";
import { Memory } from "./memory.js";
import { STACK_LIMIT } from "./opcodes.js";
import { fromBytes, type Word } from "./words.js";

/** Inputs of a frame. */
export interface Invocation {
  kind: CallKind | "create" | "create2";
  depth: number;
  code: AnalysedCode;
  /** Account whose balance and storage the code uses. */
  address: Uint8Array;
  /** Account that holds the code; the new address for a creation. */
  codeAddress: Uint8Array;
  caller: Uint8Array;
  value: Word;
  /**
   * Input of the frame. In an inner call it is a view of the caller's memory, which stays unchanged until the frame has
   * ended.
   */
  input: Uint8Array;
  isStatic: boolean;
  gas: number;
  /** Gas of the outermost frame beyond the safe integer range; it is never spent. */
  gasReserve?: bigint;
  /** Reverted to if the frame fails or reverts. */
  checkpoint: StateCheckpoint;
  /** Internal-transaction record of the frame; absent for the outer transaction. */
  record?: InternalTransaction;
  /** Place in the caller's memory for the output. */
  outOffset: number;
  outSize: number;
  /** False inside nested creations, where native calls are not reported (`spec/04 §9.3`, step 3). */
  reportsNativeCalls: boolean;
}

export type FrameStatus = "running" | "waiting" | "stopped" | "reverted" | "failed";

/** One call or creation in execution. */
export class Frame {
  status: FrameStatus = "running";
  failure: FrameFailure | undefined;
  /** Frame of the call that this frame waits for. */
  child: Frame | undefined;

  pc: number;
  /** Items on the stack. */
  sp = 0;
  gas: number;
  output: Uint8Array = EMPTY_BYTES;
  /** Output of the last call, as RETURNDATASIZE sees it (`spec/04 §4.6`). */
  returnData: Uint8Array = EMPTY_BYTES;
  /** Refund counter (`spec/04 §3.4`). */
  refund = 0;
  /** Internal transactions recorded by this frame and by the calls it made (`spec/04 §8.3`). */
  internalTransactions = 0;

  /** Facts for the gas estimate (`spec/04 §2.6`). */
  movedRemainingGasToChild = false;
  callWithValuePerformed = false;
  private lowestGas: number;
  private calledPeak = 0;

  /** Cost of the pending call including the gas it forwards, for step traces. */
  callCost: number | undefined;
  /** Gas before the step being traced. */
  tracedGas: number | undefined;
  /** Items on the stack before that step. */
  tracedItems = 0;

  readonly logsStart: number;
  readonly destroyedStart: number;

  private addressAsWord: Word | undefined;
  private callerAsWord: Word | undefined;

  constructor(
    readonly invocation: Invocation,
    readonly parent: Frame | undefined,
    readonly stack: Word[],
    readonly memory: Memory,
    marks: { logs: number; destroyed: number },
  ) {
    this.pc = invocation.code.start;
    this.gas = invocation.gas;
    this.lowestGas = invocation.gas;
    this.logsStart = marks.logs;
    this.destroyedStart = marks.destroyed;
  }

  get depth(): number {
    return this.invocation.depth;
  }

  get address(): Uint8Array {
    return this.invocation.address;
  }

  get isCreation(): boolean {
    return this.invocation.kind === "create" || this.invocation.kind === "create2";
  }

  get addressWord(): Word {
    this.addressAsWord ??= fromBytes(this.invocation.address);
    return this.addressAsWord;
  }

  get callerWord(): Word {
    this.callerAsWord ??= fromBytes(this.invocation.caller);
    return this.callerAsWord;
  }

  /** The step rule has already checked the stack size. */
  pop(): Word {
    return this.stack[--this.sp]!;
  }

  push(word: Word): void {
    this.stack[this.sp++] = word;
  }

  /** Returns the unused gas of a call that was charged in full. */
  refundGas(amount: number): void {
    if (this.gas < this.lowestGas) this.lowestGas = this.gas;
    this.gas += amount;
  }

  /** Counts gas towards the peak that must be left now, whether it is spent or not. */
  noteSpare(amount: number): void {
    this.lowestGas = Math.min(this.lowestGas, this.gas - amount);
  }

  /** Peak of gas used so far, including the peaks of successful calls. */
  get maxGasUsed(): number {
    return Math.max(this.invocation.gas - Math.min(this.lowestGas, this.gas), this.calledPeak);
  }

  /** Adds the results of a successful call (not a creation) to its caller. */
  absorb(call: Frame): void {
    this.refund += call.refund;
    this.calledPeak = Math.max(this.calledPeak, call.maxGasUsed);
    this.movedRemainingGasToChild ||= call.movedRemainingGasToChild;
    this.callWithValuePerformed ||= call.callWithValuePerformed;
  }
}

/** Stacks and memories by depth, reused because only one frame per depth is alive at a time. */
export class FramePool {
  private readonly stacks: Word[][] = [];
  private readonly memories: Memory[] = [];

  stack(depth: number): Word[] {
    // Initialised with bigints so that the engine does not choose a number-only array layout.
    this.stacks[depth] ??= Array.from({ length: STACK_LIMIT }, () => 0n);
    return this.stacks[depth];
  }

  memory(depth: number): Memory {
    this.memories[depth] ??= new Memory();
    const memory = this.memories[depth];
    memory.reset();
    return memory;
  }
}
