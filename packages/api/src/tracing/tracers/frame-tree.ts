import type { BlockExecution, ChainReader } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import {
  type FailedStep,
  type FrameFailure,
  intrinsicGas,
  type TracedFrame,
  type TracedResult,
  type Tracer,
  type TransactionOutcome,
} from "@cambium/evm";
import { append, EMPTY_BYTES } from "@cambium/primitives";
import type { Block, Log } from "@cambium/types";
import type { Failure } from "../../calls/simulation-failure.js";
import type { TracedMessage } from "../../calls/unsigned-transaction.js";
import { isDeployed } from "../../compatibility.js";
import type { ApiConfig } from "../../config.js";
import type { AnswerBudget } from "./answer-budget.js";

/** An executed call or creation, with its actions in order. */
export interface CallNode extends Omit<TracedFrame, "depth" | "code"> {
  gasUsed: number;
  /** Return data, or deployed code of a creation. */
  output: Uint8Array;
  reverted: boolean;
  failure: Failure | undefined;
  /** The step that failed the frame; undefined if none did. */
  failedStep: FailedStep | undefined;
  actions: Action[];
  /** Logs that the frame itself emitted. */
  ownLogs: LocatedLog[];
  /** Logs, including those of inner calls as on the deployed network; none if the frame failed. */
  logs: LocatedLog[];
}

/** A log and its position in the block, which is undefined if an outer frame failed. */
export interface LocatedLog {
  log: Log;
  index: number | undefined;
  /** Number of actions of its frame before it. */
  position: number;
}

export type Action =
  | { type: "call"; node: CallNode }
  | { type: "selfDestruct"; address: Uint8Array; beneficiary: Uint8Array; amount: bigint };

/** Bytes of a frame in a response, without its data. */
const FRAME_BYTES = 400;

/**
 * Calls of native contracts inside of code that a tree contains: all as in go-ethereum, those that move value as in
 * OpenEthereum, or none as in the deployed client.
 */
export type NativeCalls = "all" | "with value" | "none";

/** Those that methods of the module `trace` show. */
export function nativesOfTraces(config: ApiConfig): NativeCalls {
  return isDeployed(config) ? "none" : "with value";
}

/** Collects the call frames of one transaction (`spec/04 §8.2`). */
export class FrameTreeTracer implements Tracer {
  private readonly payments: Action[] = [];
  protected readonly open: CallNode[] = [];
  private root: CallNode | undefined;
  /** The frame that ended last. */
  private left: CallNode | undefined;
  /** Whether the running call of a native contract is part of the tree. */
  private showsNative = false;

  constructor(
    private readonly budget: AnswerBudget,
    private readonly natives: NativeCalls,
  ) {}

  enter(frame: TracedFrame): void {
    const { kind, from, to, codeAddress, value, input, gas, hasCode } = frame;
    this.budget.spend(FRAME_BYTES + 2 * input.length);
    const result = { gasUsed: 0, output: EMPTY_BYTES, reverted: false, failure: undefined, failedStep: undefined };
    const node: CallNode = {
      kind,
      from,
      to,
      codeAddress,
      value,
      input,
      gas,
      hasCode,
      ...result,
      actions: [],
      ownLogs: [],
      logs: [],
    };
    const parent = this.open.at(-1);
    if (parent === undefined) this.root = node;
    else parent.actions.push({ type: "call", node });
    this.open.push(node);
  }

  stepFailed(step: FailedStep): void {
    this.open.at(-1)!.failedStep = step;
  }

  enterNative(call: TracedFrame): void {
    this.showsNative = this.natives === "all" || (this.natives === "with value" && movesValue(call));
    if (this.showsNative) this.enter(call);
  }

  exitNative(result: TracedResult): void {
    if (this.showsNative) this.leave(result, false);
  }

  exit(result: TracedResult): void {
    this.leave(result, result.reverted || result.failure !== undefined);
  }

  private leave(result: TracedResult, dropsLogs: boolean): void {
    const node = this.open.pop()!;
    this.left = node;
    if (dropsLogs) node.logs = [];
    else append(this.open.at(-1)?.logs ?? [], node.logs);
    this.budget.spend(2 * result.output.length);
    node.output = result.output;
    node.gasUsed = result.gasUsed;
    node.reverted = result.reverted;
    node.failure = result.failure;
  }

  deposit(gasCost: number, failure?: FrameFailure): void {
    const created = this.left!;
    created.gasUsed += gasCost;
    created.failure = failure?.kind === "out-of-gas" ? DEPOSIT_OUT_OF_GAS : failure;
    if (failure !== undefined) created.output = EMPTY_BYTES;
  }

  selfDestruct(address: Uint8Array, beneficiary: Uint8Array, amount: bigint): void {
    this.open.at(-1)?.actions.push({ type: "selfDestruct", address, beneficiary, amount });
  }

  payment(from: Uint8Array, to: Uint8Array, amount: bigint): void {
    this.payments.push({ type: "call", node: { ...bareCall(from, to), value: amount } });
  }

  log(log: Log): void {
    this.budget.spend(FRAME_BYTES + 2 * log.data.length);
    const frame = this.open.at(-1);
    if (frame === undefined) return;
    const located: LocatedLog = { log, index: undefined, position: frame.actions.length };
    frame.logs.push(located);
    frame.ownLogs.push(located);
  }

  /** The call tree of an executed transaction (`spec/09 §12.2`). */
  tree(chain: ChainReader, block: Block, index: number, execution: BlockExecution): CallNode {
    const message = transactionMessage(chain, block, index);
    return this.messageTree(message, execution.outcomes[index]!, firstLogIndex(execution, index));
  }

  /**
   * The call tree of an executed message. If it opened no frame, its root is built from the message and its outcome.
   */
  messageTree(message: TracedMessage, outcome: TransactionOutcome, firstLog: number): CallNode {
    const { gasUsed } = outcome;
    if (this.root !== undefined) {
      for (const [i, located] of this.root.logs.entries()) located.index = firstLog + i;
      return { ...this.root, gasUsed };
    }
    const { from, to, isCreation, value, input, gas } = message;
    return {
      ...bareCall(from, outcome.created ?? to),
      kind: isCreation ? "create" : "call",
      value,
      input,
      gas,
      gasUsed,
      output: outcome.output ?? EMPTY_BYTES,
      // A native contract that fails counts as a success (`spec/04 §2.5`, quirk).
      failure: outcome.status === 0 ? (outcome.exception ?? NOT_STARTED) : undefined,
      actions: this.payments,
      ownLogs: outcome.logs.map((log, i) => ({ log, index: firstLog + i, position: 0 })),
    };
  }
}

function movesValue({ kind, value }: TracedFrame): boolean {
  return value > 0n && (kind === "call" || kind === "callcode");
}

/** The outermost message of a transaction of a block. */
export function transactionMessage({ network }: ChainReader, block: Block, index: number): TracedMessage {
  const transaction = block.transactions[index]!;
  const { sender, to, isCreation, value, data } = transaction;
  const intrinsic = intrinsicGas(transaction, rulesAt(network, block.number), network);
  const gas = Math.max(Number(transaction.gasLimit) - intrinsic, 0);
  const gasLimit = Math.min(Number(transaction.gasLimit), Number.MAX_SAFE_INTEGER);
  return { from: sender ?? EMPTY_BYTES, to, isCreation, value, input: data, gas, gasLimit };
}

/** Position in the block of the first log of a transaction. */
export function firstLogIndex({ outcomes }: BlockExecution, index: number): number {
  return outcomes.slice(0, index).reduce((sum, { logs }) => sum + logs.length, 0);
}

/** A native contract that cannot start for lack of gas fails without an exception. */
const NOT_STARTED: Failure = { kind: "out-of-gas", message: "out of gas" };

const DEPOSIT_OUT_OF_GAS: Failure = { kind: "out-of-gas", message: "code storage out of gas" };

function bareCall(from: Uint8Array, to: Uint8Array): CallNode {
  return {
    kind: "call",
    from,
    to,
    codeAddress: to,
    value: 0n,
    input: EMPTY_BYTES,
    gas: 0,
    gasUsed: 0,
    output: EMPTY_BYTES,
    reverted: false,
    failure: undefined,
    failedStep: undefined,
    hasCode: false,
    actions: [],
    ownLogs: [],
    logs: [],
  };
}
