import type { Tracer } from "@cambium/evm";
import type { JournaledState, WorldState } from "@cambium/state";
import { isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { invalidParams } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import type { TraceOptions } from "./trace-options.js";
import { AnswerBudget } from "./tracers/answer-budget.js";
import { type CallFrame, callFrame } from "./tracers/call-tracer.js";
import { type DeployedStructTrace, DeployedStructTracer } from "./tracers/deployed-struct-tracer.js";
import { Erc7562Tracer } from "./tracers/erc7562-tracer.js";
import { type FlatCall, flatCalls } from "./tracers/flat-call-tracer.js";
import { FourByteTracer } from "./tracers/four-byte-tracer.js";
import { FrameTreeTracer } from "./tracers/frame-tree.js";
import { JavascriptSandbox } from "./tracers/javascript-sandbox.js";
import { JavascriptTracer } from "./tracers/javascript-tracer.js";
import { joinedTracers } from "./tracers/joined-tracers.js";
import { ObservedState } from "./tracers/observed-state.js";
import { type Prestate, type PrestateDiff, prestate, prestateDiff } from "./tracers/prestate.js";
import { PrestateTracer } from "./tracers/prestate-tracer.js";
import { StepCosts, StepCounter } from "./tracers/step-costs.js";
import { type StructTrace, StructTracer } from "./tracers/struct-tracer.js";
import type { TracedEnd, TracedStart } from "./tracers/traced-start.js";

export type DebugTrace =
  | StructTrace
  | DeployedStructTrace
  | CallFrame
  | FlatCall[]
  | Prestate
  | PrestateDiff
  | Record<string, number>
  | { [name: string]: DebugTrace };

/** The tracer of one message, as a client selected it, and the trace that it has collected in the end. */
export interface SelectedTracer {
  tracer: Tracer;
  trace(end: TracedEnd): DebugTrace;
}

/** Creates the tracers of one response, which share its budget. */
export class TracerFactory {
  private readonly budget: AnswerBudget;
  private observed: ObservedState | undefined;
  /** Costs of steps, a list for each message in order of execution; undefined while they are recorded. */
  private costs: StepCosts[] | undefined;
  private readonly recorded: StepCosts[] = [];
  private readonly counter = new StepCounter();

  private constructor(
    private readonly options: TraceOptions,
    private readonly config: ApiConfig,
    private readonly sandbox: JavascriptSandbox | undefined,
  ) {
    this.budget = new AnswerBudget(config.maxResponseSize);
  }

  /** Rejects with {@link RpcError} `INVALID_PARAMS` if tracers in JavaScript are requested, but not enabled. */
  static async open(options: TraceOptions, config: ApiConfig, limit: WorkLimit): Promise<TracerFactory> {
    const isCode = uses(options, "javascript");
    if (isCode && config.trace.javascript !== true) {
      throw invalidParams("tracers in JavaScript need the setting trace.javascript of the node");
    }
    return new TracerFactory(options, config, isCode ? await JavascriptSandbox.open(limit) : undefined);
  }

  /** The result of an execution with tracers of this factory, which runs twice for tracers in JavaScript. */
  collect<T>(execute: () => T): T {
    if (this.sandbox === undefined) return execute();
    execute();
    this.costs = this.recorded;
    return execute();
  }

  /** The state to execute on, which the tracer observes if it needs to. */
  observe(state: JournaledState): WorldState {
    if (this.isRecording || !uses(this.options, "prestate")) return state;
    this.observed = new ObservedState(state, this.budget);
    return this.observed;
  }

  /** Creates the tracer of one transaction; `state` must have been passed to {@link observe}. */
  create(state: JournaledState, start: TracedStart): SelectedTracer {
    if (!this.isRecording) return this.tracerOf(this.options, state, { ...start, costs: this.costs?.shift() });
    const tracer = new StepCosts(this.counter);
    this.recorded.push(tracer);
    return { tracer, trace: () => ({}) };
  }

  /** The first of two executions only records what each step costs. */
  private get isRecording(): boolean {
    return this.sandbox !== undefined && this.costs === undefined;
  }

  private tracerOf(options: TraceOptions, state: JournaledState, start: CostedStart): SelectedTracer {
    switch (options.tracer) {
      case "struct":
        return stepTracer(state, options, this.config, start.message.to, this.budget);
      case "call":
        return this.callTracer(options, start);
      case "flatCall":
        return this.flatCallTracer(options, start);
      case "erc7562":
        return this.erc7562Tracer(options, state, start);
      case "prestate":
        return this.prestateTracer(options);
      case "4byte":
        return this.fourByteTracer(start);
      case "noop":
        return { tracer: {}, trace: () => ({}) };
      case "mux":
        return this.muxTracer(options, state, start);
      case "javascript":
        return this.javascriptTracer(options, state, start);
    }
  }

  private callTracer(given: TraceOptions, start: TracedStart): SelectedTracer {
    const options = { ...given, isDeployed: isDeployed(this.config) };
    const tracer = new FrameTreeTracer(this.budget, options.isDeployed ? "none" : "all");
    const treeOf = options.isDeployed ? messageTree : wholeTree;
    return { tracer, trace: (end) => callFrame(treeOf(tracer, start, end), options) };
  }

  private flatCallTracer(options: TraceOptions, start: TracedStart): SelectedTracer {
    const tracer = new FrameTreeTracer(this.budget, options.includePrecompiles ? "all" : "none");
    return { tracer, trace: (end) => flatCalls(wholeTree(tracer, start, end), start.position, options) };
  }

  private erc7562Tracer(options: TraceOptions, state: JournaledState, start: TracedStart): SelectedTracer {
    const tracer = new Erc7562Tracer(state, { ...options, isDeployed: false }, this.budget);
    return { tracer, trace: (end) => tracer.frame(wholeTree(tracer, start, end)) };
  }

  private prestateTracer(options: TraceOptions): SelectedTracer {
    const tracer = new PrestateTracer(this.observed!);
    const show = options.diffMode ? prestateDiff : prestate;
    return { tracer, trace: () => show(tracer.touched, options) };
  }

  private fourByteTracer({ message }: TracedStart): SelectedTracer {
    const tracer = new FourByteTracer(this.budget);
    return { tracer, trace: ({ outcome }) => tracer.result(message, outcome) };
  }

  private muxTracer({ tracers }: TraceOptions, state: JournaledState, start: CostedStart): SelectedTracer {
    const selected = tracers.map(({ name, options }) => ({ name, one: this.tracerOf(options, state, start) }));
    const trace = (end: TracedEnd) => Object.fromEntries(selected.map(({ name, one }) => [name, one.trace(end)]));
    return { tracer: joinedTracers(selected.map(({ one }) => one.tracer)), trace };
  }

  private javascriptTracer({ javascript }: TraceOptions, state: JournaledState, start: CostedStart): SelectedTracer {
    const tracer = new JavascriptTracer(this.sandbox!, javascript!, state, start, start.costs!, this.budget);
    return { tracer, trace: () => tracer.trace() as DebugTrace };
  }
}

/** A message, and the costs of its steps if a tracer in JavaScript shows them. */
interface CostedStart extends TracedStart {
  costs: StepCosts | undefined;
}

function uses({ tracer, tracers }: TraceOptions, kind: TraceOptions["tracer"]): boolean {
  return tracer === kind || tracers.some(({ options }) => options.tracer === kind);
}

/** The default tracer of a message to an account. */
export function stepTracer(
  state: JournaledState,
  options: TraceOptions,
  config: ApiConfig,
  to: Uint8Array,
  budget: AnswerBudget,
): SelectedTracer {
  if (!isDeployed(config)) {
    const tracer = new StructTracer(state, options, budget);
    return { tracer, trace: ({ outcome }) => tracer.trace(outcome) };
  }
  const { maxInitialCells } = config.trace;
  const tracer = new DeployedStructTracer(state, { ...options, maxInitialCells }, budget);
  return { tracer, trace: ({ outcome }) => tracer.trace(to, outcome) };
}

function messageTree(tracer: FrameTreeTracer, { message }: TracedStart, { outcome, firstLog }: TracedEnd) {
  return tracer.messageTree(message, outcome, firstLog);
}

/** The call tree, whose outermost call shows the whole gas limit even if no code ran. */
function wholeTree(tracer: FrameTreeTracer, start: TracedStart, end: TracedEnd) {
  return { ...messageTree(tracer, start, end), gas: start.message.gasLimit };
}
