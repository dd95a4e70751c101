import type { FailedStep, TracedResult, TracedStep, Tracer, TransactionOutcome } from "@cambium/evm";
import { EMPTY_BYTES, toData, toHex } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { AnswerBudget } from "./answer-budget.js";
import { failureText, opcodeText } from "./go-ethereum-texts.js";
import { cellData } from "./prestate.js";

/** Options of the default tracer, as in go-ethereum (`spec/09 §12.1`). */
export interface StructTracerOptions {
  enableMemory: boolean;
  enableReturnData: boolean;
  disableStack: boolean;
  disableStorage: boolean;
  /** Maximum number of entries; 0: no limit. */
  limit: number;
  /** Number of steps before the first entry; undefined: 0. Cells that they access are not in the entries' `storage`. */
  offset?: number | undefined;
}

/** One step of the default tracer; absent members are omitted. */
export interface StructLog {
  pc: number;
  op: string;
  gas: number;
  /** Includes the gas that a call forwards. */
  gasCost: number;
  /** 1 in the outermost frame. */
  depth: number;
  error?: string;
  stack?: string[];
  returnData?: string;
  /** Words of 32 bytes. */
  memory?: string[];
  /** The contract's cells that have been accessed so far, after the step; only for SLOAD and SSTORE. */
  storage?: Record<string, string>;
  refund?: number;
}

/** Trace of one transaction from the default tracer. */
export interface StructTrace {
  gas: number;
  failed: boolean;
  returnValue: string;
  structLogs: StructLog[];
  /** Number of all steps; only if an offset was given. */
  steps?: number;
}

const SLOAD = 0x54;
const SSTORE = 0x55;
const STEP_BYTES = 80;
const QUOTES_BYTES = 5;
const WORD_BYTES = 69;
const CELL_BYTES = 138;

/** Records every step of one transaction as go-ethereum's default tracer does. */
export class StructTracer implements Tracer {
  private readonly logs: StructLog[] = [];
  private steps = 0;
  /** The last entry of each open frame. */
  private readonly last: (StructLog | undefined)[] = [];
  /** Accessed cells by account (hex). */
  private readonly cells = new Map<string, Record<string, string>>();
  private failedStep: FailedStep | undefined;
  private result: TracedResult | undefined;

  constructor(
    private readonly state: JournaledState,
    private readonly options: StructTracerOptions,
    private readonly budget: AnswerBudget,
  ) {}

  enter(): void {
    this.last.push(undefined);
  }

  step(step: TracedStep): void {
    const { limit, offset = 0 } = this.options;
    const isOmitted = this.steps++ < offset || (limit > 0 && this.logs.length >= limit);
    const log = isOmitted ? undefined : this.entryOf(step);
    if (log !== undefined) this.logs.push(log);
    this.last[this.last.length - 1] = log;
  }

  stepDone(gasCost: number): void {
    const log = this.last.at(-1);
    if (log !== undefined) log.gasCost = gasCost;
  }

  stepFailed(step: FailedStep): void {
    const log = this.last.at(-1);
    if (log !== undefined) log.gasCost = step.gasCost;
    this.failedStep = step;
  }

  exit(result: TracedResult): void {
    const log = this.last.pop();
    if (log !== undefined && result.failure !== undefined) log.error = failureText(result.failure, this.failedStep);
    this.failedStep = undefined;
    if (this.last.length === 0) this.result = result;
  }

  /** The trace of an executed transaction; it has no steps if no code ran. */
  trace({ gasUsed, status, reverted, output }: TransactionOutcome): StructTrace {
    const failed = status === 0;
    const returned = failed && !reverted ? EMPTY_BYTES : (this.result?.output ?? output ?? EMPTY_BYTES);
    const steps = this.options.offset === undefined ? {} : { steps: this.steps };
    return { gas: gasUsed, failed, returnValue: toData(returned), structLogs: this.logs, ...steps };
  }

  private entryOf(step: TracedStep): StructLog {
    const { enableMemory, enableReturnData, disableStack, disableStorage } = this.options;
    const { pc, gas, op } = step;
    const log: StructLog = { pc, op: opcodeText(step), gas, gasCost: 0, depth: step.depth + 1 };
    let size = STEP_BYTES;
    const accessesCell = op === SLOAD || op === SSTORE;
    const stack = !disableStack || (!disableStorage && accessesCell) ? step.stack() : [];
    if (!disableStack) {
      log.stack = stack.map((item) => `0x${item.toString(16)}`);
      for (const item of log.stack) size += item.length + QUOTES_BYTES;
    }
    if (enableReturnData) {
      const data = step.returnData();
      if (data.length > 0) size += (log.returnData = toData(data)).length;
    }
    if (enableMemory) {
      const memory = step.memory();
      if (memory.length > 0) size += WORD_BYTES * (log.memory = wordsOf(memory)).length;
    }
    if (!disableStorage && accessesCell) {
      const storage = this.accessed(step.address, op, stack);
      if (storage !== undefined) size += CELL_BYTES * Object.keys((log.storage = storage)).length;
    }
    const refund = step.refund();
    if (refund !== 0) log.refund = refund;
    this.budget.spend(size);
    return log;
  }

  /**
   * Returns the account's accessed cells including the cell of this step; undefined if the stack is too small for the
   * step.
   */
  private accessed(address: Uint8Array, op: number, stack: readonly bigint[]): Record<string, string> | undefined {
    const slot = stack.at(-1);
    const written = op === SSTORE ? stack.at(-2) : 0n;
    if (slot === undefined || written === undefined) return undefined;
    const key = toHex(address);
    const value = op === SSTORE ? written : (this.state.peekStorage(address, slot) ?? 0n);
    const cells = { ...this.cells.get(key), [cellData(slot)]: cellData(value) };
    this.cells.set(key, cells);
    return cells;
  }
}

function wordsOf(memory: Uint8Array): string[] {
  return Array.from({ length: memory.length / 32 }, (_, i) => toData(memory.subarray(32 * i, 32 * i + 32)));
}
