import type { TransactionOutcome } from "@cambium/evm";
import type { JournaledState, WorldState } from "@cambium/state";
import { isDeployed } from "../compatibility.js";
import type { RpcConfig } from "../config.js";
import { AnswerBudget } from "./answer-budget.js";
import { type CallFrame, callFrame } from "./call-tracer.js";
import { type DeployedStructTrace, DeployedStructTracer } from "./deployed-struct-tracer.js";
import { FourByteTracer } from "./four-byte-tracer.js";
import { type CallNode, FrameTreeTracer, type TracedMessage } from "./frame-tree.js";
import { ObservedState } from "./observed-state.js";
import { type Prestate, type PrestateDiff, prestate, prestateDiff } from "./prestate.js";
import { PrestateTracer } from "./prestate-tracer.js";
import { type StructTrace, StructTracer } from "./struct-tracer.js";
import type { TraceOptions } from "./trace-options.js";

export type DebugTrace =
  | StructTrace
  | DeployedStructTrace
  | CallFrame
  | Prestate
  | PrestateDiff
  | Record<string, number>;

/** The tracers that a client can select. */
export type SelectedTracer = StructTracer | DeployedStructTracer | FrameTreeTracer | PrestateTracer | FourByteTracer;

/** The default tracer. */
export function stepTracer(
  state: JournaledState,
  options: TraceOptions,
  config: RpcConfig,
  budget: AnswerBudget,
): StructTracer | DeployedStructTracer {
  if (!isDeployed(config)) return new StructTracer(state, options, budget);
  return new DeployedStructTracer(state, { ...options, maxInitialCells: config.trace.maxInitialCells }, budget);
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
    if (this.options.tracer !== "prestate") return state;
    this.observed = new ObservedState(state, this.budget);
    return this.observed;
  }

  /** A tracer for one transaction; `state` is the one that has been passed to {@link observe}. */
  create(state: JournaledState): SelectedTracer {
    const { options, budget, config } = this;
    switch (options.tracer) {
      case "struct":
        return stepTracer(state, options, config, budget);
      case "call":
        return new FrameTreeTracer(budget);
      case "prestate":
        return new PrestateTracer(this.observed!);
      case "4byte":
        return new FourByteTracer(budget);
    }
  }

  /** The trace of an executed message; `firstLog` is the position of its first log in the block. */
  result(tracer: SelectedTracer, message: TracedMessage, outcome: TransactionOutcome, firstLog: number): DebugTrace {
    const { options } = this;
    if (tracer instanceof StructTracer) return tracer.trace(outcome);
    if (tracer instanceof DeployedStructTracer) return tracer.trace(message.to, outcome);
    if (tracer instanceof FrameTreeTracer)
      return this.callFrame(tracer.messageTree(message, outcome, firstLog), message);
    if (tracer instanceof FourByteTracer) return tracer.result(message, outcome);
    return options.diffMode ? prestateDiff(tracer.touched, options) : prestate(tracer.touched, options);
  }

  private callFrame(tree: CallNode, { gasLimit }: TracedMessage): CallFrame {
    const options = { ...this.options, isDeployed: isDeployed(this.config) };
    return callFrame(options.isDeployed ? tree : { ...tree, gas: gasLimit }, options);
  }
}
