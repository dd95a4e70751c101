import type { NetworkConfig, Rules } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { ExecutingBlock, ExecutingTransaction, WorldState } from "@cambium/state";
import type { Log } from "@cambium/types";
import { AccessList } from "./access-list.js";
import { ExecutionInterrupted } from "./errors.js";
import { Frame, type FramePool, type Invocation } from "./frame.js";
import { type GasSchedule, gasSchedule } from "./gas-schedule.js";
import type { InterruptionCheck } from "./interface.js";
import type { ActiveNatives } from "./native/native-registry.js";
import { type StepTable, stepTable } from "./opcodes.js";
import type { Tracer } from "./tracer.js";
import { fromBytes, toBigint, toWord, type Word, wrap } from "./words.js";

/** Inputs of one execution, shared by all its frames. */
export interface ExecutionInput {
  network: NetworkConfig;
  rules: Rules;
  block: ExecutingBlock;
  state: WorldState;
  transaction: ExecutingTransaction;
  /** The called account, or the address of the new contract. */
  to: Uint8Array;
  /** Position in the block. */
  index: number;
  natives: ActiveNatives;
  deletedInList: ReadonlySet<string>;
  pool: FramePool;
  isInterrupted?: InterruptionCheck | undefined;
  tracer?: Tracer;
}

/** Fields of the block, in the form that instructions push; these instructions cost almost no gas. */
interface BlockWords {
  coinbase: Word;
  timestamp: Word;
  difficulty: Word;
  gasLimit: Word;
  /** The minimum gas price (RSKIP-412). */
  baseFee: Word;
}

function wordsOf({ coinbase, timestamp, difficulty, gasLimit, minimumGasPrice }: ExecutingBlock): BlockWords {
  return {
    coinbase: fromBytes(coinbase),
    timestamp: toWord(timestamp),
    difficulty: toWord(wrap(difficulty)),
    gasLimit: toWord(wrap(gasLimit)),
    baseFee: toWord(wrap(minimumGasPrice)),
  };
}

/** Returns the addresses that are warm before the first step. The block's beneficiary is not warm. */
function accessesOf({ natives, transaction, to }: ExecutionInput): AccessList {
  return new AccessList([...natives.addresses, toHex(transaction.sender), toHex(to)]);
}

/** One transaction or local call in execution, with the data its frames share. */
export class Execution {
  readonly network: NetworkConfig;
  readonly rules: Rules;
  readonly block: ExecutingBlock;
  readonly state: WorldState;
  readonly transaction: ExecutingTransaction;
  readonly index: number;
  readonly findNative: ActiveNatives["find"];
  /** Warm accounts and cells, from RSKIP-555 on. */
  readonly accesses: AccessList | undefined;
  readonly deletedInList: ReadonlySet<string>;
  readonly tracer: Tracer | undefined;
  readonly steps: StepTable;
  readonly costs: GasSchedule;
  /** Depth at which calls no longer open frames (`spec/04 §5.4`). */
  readonly maxDepth: number;
  /** Stands for the outer transaction in the records of the outermost frame. */
  readonly outerRecord: { hash(): Uint8Array };
  readonly originWord: Word;
  readonly gasPriceWord: Word;
  private blockAsWords: BlockWords | undefined;

  /** Logs of the frames that have not failed, in order. */
  readonly logs: Log[] = [];
  /** Accounts that self-destructed in frames that have not failed; may contain duplicates. */
  readonly destroyed: Uint8Array[] = [];
  /** Lower-case hex of the native contracts called. */
  readonly calledContracts = new Set<string>();

  private readonly pool: FramePool;
  private readonly isInterrupted: InterruptionCheck | undefined;

  constructor(input: ExecutionInput) {
    this.network = input.network;
    this.rules = input.rules;
    this.block = input.block;
    this.state = input.state;
    this.transaction = input.transaction;
    this.index = input.index;
    this.findNative = input.natives.find;
    this.accesses = input.rules.rskip555 ? accessesOf(input) : undefined;
    this.deletedInList = input.deletedInList;
    this.tracer = input.tracer;
    this.pool = input.pool;
    this.isInterrupted = input.isInterrupted;
    this.steps = stepTable(input.rules);
    this.costs = gasSchedule(input.rules);
    this.maxDepth = input.rules.rskip150 ? 400 : 1024;
    this.outerRecord = { hash: () => input.transaction.hash };
    this.originWord = fromBytes(input.transaction.sender);
    this.gasPriceWord = toWord(wrap(input.transaction.gasPrice));
  }

  /** Opens a frame and reports it to the tracer. */
  open(invocation: Invocation, parent?: Frame): Frame {
    const { depth } = invocation;
    const marks = { logs: this.logs.length, destroyed: this.destroyed.length };
    this.accesses?.open(depth);
    const frame = new Frame(invocation, parent, this.pool.stack(depth), this.pool.memory(depth), marks);
    this.tracer?.enter?.({
      kind: invocation.kind,
      depth,
      from: invocation.caller,
      to: invocation.address,
      codeAddress: invocation.codeAddress,
      value: toBigint(invocation.value),
      input: frame.isCreation ? invocation.code.bytes : invocation.input.slice(),
      gas: invocation.gas,
      code: invocation.code.bytes,
      hasCode: true,
    });
    return frame;
  }

  /** The block's fields as words. */
  get blockWords(): BlockWords {
    this.blockAsWords ??= wordsOf(this.block);
    return this.blockAsWords;
  }

  get isInterruptible(): boolean {
    return this.isInterrupted !== undefined;
  }

  /** Throws {@link ExecutionInterrupted} if the execution must end; `gas` is the price of a native call to come. */
  checkInterruption(gas = 0): void {
    if (this.isInterrupted?.(gas) === true) throw new ExecutionInterrupted({ code: "INTERRUPTED" });
  }

  /** Appends a log of the running frame, or of the native contract it calls. */
  log(entry: Log): void {
    this.logs.push(entry);
    this.tracer?.log?.(entry);
  }

  /** Reverts all effects of a frame. */
  undo(frame: Frame): void {
    this.state.revertTo(frame.invocation.checkpoint);
    this.logs.length = frame.logsStart;
    this.destroyed.length = frame.destroyedStart;
    this.accesses?.undo(frame.depth);
  }
}
