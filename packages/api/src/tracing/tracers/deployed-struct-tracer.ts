import type { FrameFailure, TracedFrame, TracedResult, TracedStep, Tracer, TransactionOutcome } from "@cambium/evm";
import { EMPTY_BYTES, leftPad, toData, toHex } from "@cambium/primitives";
import { type JournaledState, StateError } from "@cambium/state";
import { failureReason } from "../../calls/simulation-failure.js";
import { addressData } from "../../objects/format.js";
import type { AnswerBudget } from "./answer-budget.js";

/** Options of the deployed client's default tracer (`spec/09 §12.1`). */
export interface DeployedStructOptions {
  disableMemory: boolean;
  disableStack: boolean;
  disableStorage: boolean;
  /** The initial storage of contracts with more cells is omitted. */
  maxInitialCells: number;
}

/** Values by slot, each as 64 hex digits without prefix. */
type Storage = Readonly<Record<string, string>>;

export interface DeployedStructLog {
  /** Mnemonic; null for an undefined opcode. */
  op: string | null;
  depth: number;
  pc: number;
  gas: number;
  gasCost: number;
  memory?: string[];
  stack?: string[];
  storage?: Storage;
}

/** Trace of one transaction from the deployed client's default tracer. */
export interface DeployedStructTrace {
  contractAddress: string;
  initStorage: Storage;
  structLogs: DeployedStructLog[];
  result: string;
  error: string;
  reverted: boolean;
  storageSize: number;
  currentStorage: Storage;
  gas: number;
  failed: boolean;
  returnValue: string;
}

const SLOAD = 0x54;
const SSTORE = 0x55;
const CREATE = 0xf0;
const CREATE2 = 0xf5;
const SELFDESTRUCT = 0xff;
const STEP_BYTES = 90;
const WORD_BYTES = 67;
const CELL_BYTES = 136;

/** Known storage of a frame's account. */
interface FrameStorage {
  address: Uint8Array;
  cells: Storage;
  count: number;
  /** Slot accessed by the last step; its value is listed from the next step on. */
  touched: bigint | undefined;
}

/** Records every step of one transaction as the deployed client does (`spec/04 §8.1`). */
export class DeployedStructTracer implements Tracer {
  private readonly logs: DeployedStructLog[] = [];
  private readonly frames: FrameStorage[] = [];
  /** Entry of the running creation, by depth. */
  private readonly creations: (DeployedStructLog | undefined)[] = [];
  private top: (FrameStorage & { initial: Storage }) | undefined;
  private result: TracedResult | undefined;
  /** Whether the last step is one that the deployed client does not list. */
  private isImplicit = false;

  constructor(
    private readonly state: JournaledState,
    private readonly options: DeployedStructOptions,
    private readonly budget: AnswerBudget,
  ) {}

  enter(frame: TracedFrame): void {
    const isTop = this.frames.length === 0;
    const storage: FrameStorage = { address: frame.to, cells: {}, count: 0, touched: undefined };
    if (isTop || (frame.hasCode && !this.options.disableStorage)) this.readStorage(storage);
    if (isTop) this.top = Object.assign(storage, { initial: storage.cells });
    this.frames.push(storage);
  }

  exit(result: TracedResult): void {
    this.frames.pop();
    if (this.frames.length === 0) this.result = result;
  }

  step(step: TracedStep): void {
    this.isImplicit = step.isImplicit;
    if (step.isImplicit) return;
    const { options } = this;
    const storage = this.frames.at(-1)!;
    this.showTouched(storage);
    const log: DeployedStructLog = {
      op: mnemonic(step),
      depth: step.depth,
      pc: step.pc,
      gas: step.gas,
      gasCost: 0,
    };
    let size = STEP_BYTES;
    if (!options.disableMemory) size += WORD_BYTES * (log.memory = memoryWords(step.memory())).length;
    const isStorageStep = step.op === SLOAD || step.op === SSTORE;
    const stack = !options.disableStack || isStorageStep ? step.stack() : [];
    if (!options.disableStack) size += WORD_BYTES * (log.stack = stack.map(word)).length;
    if (isStorageStep) storage.touched = stack.at(-1);
    if (!options.disableStorage) {
      log.storage = storage.cells;
      size += CELL_BYTES * Object.keys(storage.cells).length;
    }
    this.budget.spend(size);
    this.logs.push(log);
    this.creations[step.depth] = step.op === CREATE || step.op === CREATE2 ? log : undefined;
  }

  /**
   * Adds the cost of a call to the callee's last entry (`spec/04 §8.1`, quirk), and the cost of a creation to its own.
   */
  stepDone(gasCost: number, depth: number): void {
    if (this.isImplicit) {
      this.isImplicit = false;
      return;
    }
    const creation = this.creations[depth];
    const done = creation ?? this.logs.at(-1);
    if (done !== undefined) done.gasCost = gasCost;
    this.creations[depth] = undefined;
  }

  deposit(_gasCost: number, failure?: FrameFailure): void {
    // The code that a creation returned is no output if it is refused.
    if (this.result !== undefined && failure !== undefined) {
      this.result = { ...this.result, failure, output: EMPTY_BYTES };
    }
  }

  /** The trace of an executed transaction to an account; it has no steps if no code ran. */
  trace(to: Uint8Array, outcome: TransactionOutcome): DeployedStructTrace {
    const { top, result } = this;
    const output = result?.output ?? outcome.output ?? EMPTY_BYTES;
    const failure = result?.failure ?? (outcome.status === 0 ? outcome.exception : undefined);
    return {
      contractAddress: addressData(top?.address ?? outcome.created ?? to).slice(2),
      initStorage: top?.initial ?? {},
      structLogs: this.logs,
      result: toHex(output),
      error: failure === undefined ? "" : failureReason(failure),
      reverted: outcome.reverted,
      storageSize: top?.count ?? 0,
      currentStorage: top?.cells ?? {},
      gas: outcome.gasUsed,
      failed: outcome.status === 0,
      returnValue: toData(output),
    };
  }

  private readStorage(storage: FrameStorage): void {
    const cells = this.listedCells(storage.address);
    storage.count = cells.size;
    if (cells.size > this.options.maxInitialCells) return;
    this.budget.spend(CELL_BYTES * cells.size);
    storage.cells = Object.fromEntries([...cells].map(([slot, value]) => [word(slot), wordOf(value)]));
  }

  /**
   * Returns the stored cells; none if they cannot be listed, in a fork of an endpoint: the trace then has the cells
   * that the call touches.
   */
  private listedCells(address: Uint8Array): ReadonlyMap<bigint, Uint8Array> {
    try {
      return this.state.storageCells(address);
    } catch (error) {
      if (error instanceof StateError && error.code === "UNSUPPORTED") return new Map();
      throw error;
    }
  }

  private showTouched(storage: FrameStorage): void {
    const slot = storage.touched;
    if (slot === undefined) return;
    storage.touched = undefined;
    const { [word(slot)]: before, ...others } = storage.cells;
    const value = this.state.peekStorage(storage.address, slot);
    const after = value === undefined ? undefined : wordOf(value);
    if (after !== before) storage.cells = after === undefined ? others : { ...others, [word(slot)]: after };
    storage.count = Object.keys(storage.cells).length;
  }
}

/** Mnemonic of an opcode on the deployed network. */
function mnemonic({ op, name }: TracedStep): string | null {
  return op === SELFDESTRUCT ? "SUICIDE" : (name ?? null);
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, "0");
}

function wordOf(bytes: Uint8Array): string {
  return toHex(bytes.length < 32 ? leftPad(bytes, 32) : bytes);
}

function memoryWords(memory: Uint8Array): string[] {
  const hex = toHex(memory);
  return Array.from({ length: memory.length / 32 }, (_, i) => hex.slice(64 * i, 64 * i + 64));
}
