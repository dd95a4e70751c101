import { OPCODES, type TracedFrame, type TracedResult, type TracedStep, type Tracer } from "@cambium/evm";
import { toData } from "@cambium/primitives";
import type { AnswerBudget } from "./answer-budget.js";

/** Steps of a frame in OpenEthereum's form. */
export interface VmTrace {
  code: string;
  ops: VmOperation[];
}

/** One step. Numbers are JSON numbers, words are QUANTITY. */
export interface VmOperation {
  pc: number;
  /** Includes the gas that a call forwards. */
  cost: number;
  /** The effects of the step; null if it failed. `used` is the gas left after it. */
  ex: {
    used: number;
    push: string[];
    mem: { off: number; data: string } | null;
    store: { key: string; val: string } | null;
  } | null;
  /** Steps of the frame that it opened. */
  sub: VmTrace | null;
}

/** A step whose effect is visible only when the next one begins. */
interface PendingStep {
  operation: VmOperation;
  pushes: number;
  memory: { off: number; size: number } | null;
  store: { key: string; val: string } | null;
}

interface OpenFrame {
  trace: VmTrace;
  gas: number;
  pending: PendingStep | undefined;
}

const SSTORE = 0x55;
const STEP_BYTES = 90;

/** Offset and size of the memory that an opcode writes: places on the stack from the top, or a number of bytes. */
const WRITES: ReadonlyMap<number, { off: number; size: number | { bytes: number } }> = new Map([
  [0x37, { off: 0, size: 2 }], // CALLDATACOPY
  [0x39, { off: 0, size: 2 }], // CODECOPY
  [0x3c, { off: 1, size: 3 }], // EXTCODECOPY
  [0x3e, { off: 0, size: 2 }], // RETURNDATACOPY
  [0x51, { off: 0, size: { bytes: 32 } }], // MLOAD
  [0x52, { off: 0, size: { bytes: 32 } }], // MSTORE
  [0x53, { off: 0, size: { bytes: 1 } }], // MSTORE8
  [0x5e, { off: 0, size: 2 }], // MCOPY
  [0xf1, { off: 5, size: 6 }], // CALL
  [0xf2, { off: 5, size: 6 }], // CALLCODE
  [0xf4, { off: 4, size: 5 }], // DELEGATECALL
  [0xfa, { off: 4, size: 5 }], // STATICCALL
]);

/** Records what every step of one transaction changes (`vmTrace`). */
export class VmTracer implements Tracer {
  private readonly frames: OpenFrame[] = [];
  private top: VmTrace | undefined;

  constructor(private readonly budget: AnswerBudget) {}

  enter({ code, gas }: TracedFrame): void {
    this.budget.spend(STEP_BYTES + 2 * code.length);
    const trace: VmTrace = { code: toData(code), ops: [] };
    const operation = this.frames.at(-1)?.pending?.operation;
    if (operation !== undefined) operation.sub = trace;
    this.top ??= trace;
    this.frames.push({ trace, gas, pending: undefined });
  }

  step(step: TracedStep): void {
    const frame = this.frames.at(-1)!;
    this.complete(frame, step);
    frame.pending = undefined;
    // OpenEthereum does not list it.
    if (step.isImplicit) return;
    const { op, pc } = step;
    const operation: VmOperation = { pc, cost: 0, ex: null, sub: null };
    this.budget.spend(STEP_BYTES);
    frame.trace.ops.push(operation);
    const stack = WRITES.has(op) || op === SSTORE ? step.stack() : [];
    const store =
      op === SSTORE && stack.length > 1 ? { key: quantity(stack.at(-1)!), val: quantity(stack.at(-2)!) } : null;
    frame.pending = { operation, pushes: OPCODES.get(op)?.pushes ?? 0, memory: writtenBy(op, stack), store };
  }

  stepDone(gasCost: number): void {
    const operation = this.frames.at(-1)?.pending?.operation;
    if (operation !== undefined) operation.cost = gasCost;
  }

  stepFailed({ gasCost }: { gasCost: number }): void {
    const frame = this.frames.at(-1)!;
    frame.pending!.operation.cost = gasCost;
    frame.pending = undefined;
  }

  exit({ gasUsed }: TracedResult): void {
    const { pending, gas } = this.frames.pop()!;
    // A step that ends a frame leaves nothing on the stack.
    if (pending !== undefined) pending.operation.ex = { used: gas - gasUsed, push: [], mem: null, store: null };
  }

  /** The steps of the outermost frame; null if no code ran. */
  trace(): VmTrace | null {
    return this.top ?? null;
  }

  /** Adds the effect of the frame's last step. */
  private complete({ pending }: OpenFrame, next: TracedStep): void {
    if (pending === undefined) return;
    const { operation, pushes, memory, store } = pending;
    const push = pushes === 0 ? [] : next.stack().slice(-pushes).map(quantity);
    const mem = memory && {
      off: memory.off,
      data: toData(next.memory().subarray(memory.off, memory.off + memory.size)),
    };
    for (const item of push) this.budget.spend(item.length);
    if (mem !== null) this.budget.spend(mem.data.length);
    operation.ex = { used: next.gas, push, mem, store };
  }
}

function writtenBy(op: number, stack: readonly bigint[]): PendingStep["memory"] {
  const written = WRITES.get(op);
  if (written === undefined) return null;
  const { off, size } = written;
  const item = (place: number) => Number(stack.at(-1 - place) ?? 0n);
  const bytes = typeof size === "number" ? item(size) : size.bytes;
  return bytes === 0 ? null : { off: item(off), size: bytes };
}

function quantity(word: bigint): string {
  return `0x${word.toString(16)}`;
}
