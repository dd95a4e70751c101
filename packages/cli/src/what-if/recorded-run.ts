import type { TracedFrame, TracedResult, TracedStep, Tracer, TransactionOutcome } from "@cambium/evm";

/** Steps that are kept for comparison; those after them are only counted. */
const MAX_STEPS = 2_000_000;

export interface RecordedStep {
  depth: number;
  pc: number;
  op: number;
  /** Mnemonic, or the opcode in hex if it has none. */
  name: string;
  gas: number;
}

/** Number of runs of an opcode, and their cost without the calls that it made. */
export interface OpcodeUse {
  name: string;
  count: number;
  gas: number;
}

interface OpenStep {
  op: number;
  name: string;
  /** Gas left before it. */
  gas: number;
  /** Gas used by the frames that it opened. */
  nested: number;
}

/** An execution in the form that is compared: its steps, its outcome, or the reason of its refusal. */
export class RecordedRun implements Tracer {
  outcome: TransactionOutcome | undefined;
  /** Why it was not executed at all. */
  refusal: string | undefined;
  readonly opcodes = new Map<number, OpcodeUse>();
  /** Gas at the first step, after the charges before it. */
  startGas: number | undefined;
  private readonly depths: number[] = [];
  private readonly pcs: number[] = [];
  private readonly ops: number[] = [];
  private readonly gas: number[] = [];
  /** Frames in progress: gas at their start, and their last step. */
  private readonly frames: { gas: number; step: OpenStep | undefined }[] = [];
  private count = 0;

  get stepCount(): number {
    return this.count;
  }

  /** One of the first {@link MAX_STEPS} steps; undefined if there are fewer. */
  stepAt(index: number): RecordedStep | undefined {
    if (index >= this.ops.length) return undefined;
    const op = this.ops[index]!;
    const { name } = this.opcodes.get(op)!;
    return { depth: this.depths[index]!, pc: this.pcs[index]!, op, name, gas: this.gas[index]! };
  }

  enter({ gas }: TracedFrame): void {
    this.frames.push({ gas, step: undefined });
  }

  step({ name, op, pc, gas, isImplicit }: TracedStep): void {
    const frame = this.frames.at(-1)!;
    this.startGas ??= gas;
    this.finish(frame.step, gas);
    frame.step = undefined;
    // The machine of Ethereum does not report it.
    if (isImplicit) return;
    frame.step = { op, name: name ?? `0x${op.toString(16).padStart(2, "0")}`, gas, nested: 0 };
    if (this.count++ >= MAX_STEPS) return;
    this.depths.push(this.frames.length);
    this.pcs.push(pc);
    this.ops.push(op);
    this.gas.push(gas);
  }

  exit({ gasUsed }: TracedResult): void {
    const frame = this.frames.pop()!;
    this.finish(frame.step, frame.gas - gasUsed);
    const caller = this.frames.at(-1)?.step;
    if (caller !== undefined) caller.nested += gasUsed;
  }

  private finish(step: OpenStep | undefined, gasAfter: number): void {
    if (step === undefined) return;
    const use = this.opcodes.get(step.op) ?? { name: step.name, count: 0, gas: 0 };
    this.opcodes.set(step.op, use);
    use.count++;
    use.gas += step.gas - gasAfter - step.nested;
  }
}
