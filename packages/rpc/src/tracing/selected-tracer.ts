import type { Tracer, TransactionOutcome } from "@cambium/evm";
import type { JournaledState, WorldState } from "@cambium/state";
import { isDeployed } from "../compatibility.js";
import type { RpcConfig } from "../config.js";
import { AnswerBudget } from "./answer-budget.js";
import { type CallFrame, callFrame } from "./call-tracer.js";
import { type DeployedStructTrace, DeployedStructTracer } from "./deployed-struct-tracer.js";
import { Erc7562Tracer } from "./erc7562-tracer.js";
import { type FlatCall, flatCalls, type TracePosition } from "./flat-call-tracer.js";
import { FourByteTracer } from "./four-byte-tracer.js";
import { FrameTreeTracer, type TracedMessage } from "./frame-tree.js";
import { joinedTracers } from "./joined-tracers.js";
import { ObservedState } from "./observed-state.js";
import { type Prestate, type PrestateDiff, prestate, prestateDiff } from "./prestate.js";
import { PrestateTracer } from "./prestate-tracer.js";
import { type StructTrace, StructTracer } from "./struct-tracer.js";
import type { TraceOptions } from "./trace-options.js";

export type DebugTrace =
  | StructTrace
  | DeployedStructTrace
  | CallFrame
  | FlatCall[]
  | Prestate
  | PrestateDiff
  | Record<string, number>
  | { [name: string]: DebugTrace };

/** A message that has been executed. */
export interface TracedEnd {
  message: TracedMessage;
  outcome: TransactionOutcome;
  /** Position of its first log in the block. */
  firstLog: number;
  position: TracePosition;
}

/** The tracer of one message, as a client selected it, and the trace that it has collected in the end. */
export interface SelectedTracer {
  tracer: Tracer;
  trace(end: TracedEnd): DebugTrace;
}

/** Creates the tracers of one response, in which they share its budget. */
export class TracerFactory {
  private readonly budget: AnswerBudget;
  private observed: ObservedState | undefined;

  constructor(
    private readonly options: TraceOptions,
    private readonly config: RpcConfig,
  ) {
    this.budget = new AnswerBudget(config.maxResponseSize);
  }

  /** The state to execute on, which the tracer observes if it needs to. */
  observe(state: JournaledState): WorldState {
    const { tracer, tracers } = this.options;
    if (tracer !== "prestate" && !tracers.some(({ options }) => options.tracer === "prestate")) return state;
    this.observed = new ObservedState(state, this.budget);
    return this.observed;
  }

  /** A tracer for one transaction; `state` is the one that has been passed to {@link observe}. */
  create(state: JournaledState): SelectedTracer {
    return this.tracerOf(this.options, state);
  }

  private tracerOf(options: TraceOptions, state: JournaledState): SelectedTracer {
    switch (options.tracer) {
      case "struct":
        return stepTracer(state, options, this.config, this.budget);
      case "call":
        return this.callTracer(options);
      case "flatCall":
        return this.flatCallTracer(options);
      case "erc7562":
        return this.erc7562Tracer(options, state);
      case "prestate":
        return this.prestateTracer(options);
      case "4byte":
        return this.fourByteTracer();
      case "noop":
        return { tracer: {}, trace: () => ({}) };
      case "mux":
        return this.muxTracer(options, state);
    }
  }

  private callTracer(given: TraceOptions): SelectedTracer {
    const tracer = new FrameTreeTracer(this.budget);
    const options = { ...given, isDeployed: isDeployed(this.config) };
    const trace = (end: TracedEnd) =>
      callFrame(options.isDeployed ? treeOf(tracer, end) : wholeTree(tracer, end), options);
    return { tracer, trace };
  }

  private flatCallTracer(options: TraceOptions): SelectedTracer {
    const tracer = new FrameTreeTracer(this.budget);
    return { tracer, trace: (end) => flatCalls(wholeTree(tracer, end), end.position, options) };
  }

  private erc7562Tracer(options: TraceOptions, state: JournaledState): SelectedTracer {
    const tracer = new Erc7562Tracer(state, { ...options, isDeployed: false }, this.budget);
    return { tracer, trace: (end) => tracer.frame(wholeTree(tracer, end)) };
  }

  private prestateTracer(options: TraceOptions): SelectedTracer {
    const tracer = new PrestateTracer(this.observed!);
    const show = options.diffMode ? prestateDiff : prestate;
    return { tracer, trace: () => show(tracer.touched, options) };
  }

  private fourByteTracer(): SelectedTracer {
    const tracer = new FourByteTracer(this.budget);
    return { tracer, trace: ({ message, outcome }) => tracer.result(message, outcome) };
  }

  private muxTracer({ tracers }: TraceOptions, state: JournaledState): SelectedTracer {
    const selected = tracers.map(({ name, options }) => ({ name, one: this.tracerOf(options, state) }));
    const trace = (end: TracedEnd) => Object.fromEntries(selected.map(({ name, one }) => [name, one.trace(end)]));
    return { tracer: joinedTracers(selected.map(({ one }) => one.tracer)), trace };
  }
}

interface StepEnd {
  message: Pick<TracedMessage, "to">;
  outcome: TransactionOutcome;
}

/** The default tracer. */
export function stepTracer(
  state: JournaledState,
  options: TraceOptions,
  config: RpcConfig,
  budget: AnswerBudget,
): { tracer: Tracer; trace(end: StepEnd): StructTrace | DeployedStructTrace } {
  if (!isDeployed(config)) {
    const tracer = new StructTracer(state, options, budget);
    return { tracer, trace: ({ outcome }) => tracer.trace(outcome) };
  }
  const { maxInitialCells } = config.trace;
  const tracer = new DeployedStructTracer(state, { ...options, maxInitialCells }, budget);
  return { tracer, trace: ({ message, outcome }) => tracer.trace(message.to, outcome) };
}

function treeOf(tracer: FrameTreeTracer, { message, outcome, firstLog }: TracedEnd) {
  return tracer.messageTree(message, outcome, firstLog);
}

/** The call tree, whose outermost call shows the whole gas limit even if no code ran. */
function wholeTree(tracer: FrameTreeTracer, end: TracedEnd) {
  return { ...treeOf(tracer, end), gas: end.message.gasLimit };
}
