import type { ChainReader } from "@cambium/chain";
import type { Tracer, TransactionOutcome } from "@cambium/evm";
import { EMPTY_BYTES, toData } from "@cambium/primitives";
import type { JournaledState, WorldState } from "@cambium/state";
import { type BundlesRequest, runBundles } from "../calls/bundle-run.js";
import { replayBlock, requireBlock } from "../calls/replay.js";
import type { SimulationChain } from "../calls/simulation.js";
import { executeOpened, openCall, type TracedMessage, type UnsignedRequest } from "../calls/unsigned-transaction.js";
import type { ApiConfig } from "../config.js";
import type { WorkLimit } from "../limits/deadline.js";
import { type StateDiff, stateDiff } from "./state-diff.js";
import type { TraceTypes } from "./trace-types.js";
import { AnswerBudget } from "./tracers/answer-budget.js";
import { type UnplacedTrace, unplacedTraces } from "./tracers/flat-traces.js";
import { FrameTreeTracer, type NativeCalls, nativesOfTraces, transactionMessage } from "./tracers/frame-tree.js";
import { joinedTracers } from "./tracers/joined-tracers.js";
import { ObservedState } from "./tracers/observed-state.js";
import { PrestateTracer } from "./tracers/prestate-tracer.js";
import { type VmTrace, VmTracer } from "./tracers/vm-tracer.js";

/** A block to execute again, and the index of a transaction if only that one is requested. */
export interface ReplayTracesRequest {
  blockHash: Uint8Array;
  index?: number;
  types: TraceTypes;
}

/** A call to trace: plain data that can be sent to another thread. */
export interface CallTracesRequest extends UnsignedRequest {
  types: TraceTypes;
}

/** Result of `trace_call` and `trace_replayTransaction`, in the form of OpenEthereum. */
export interface TraceResults {
  output: string;
  /** Null if it was not requested. */
  stateDiff: StateDiff | null;
  /** Empty if it was not requested. */
  trace: UnplacedTrace[];
  /** Null if it was not requested, or no code ran. */
  vmTrace: VmTrace | null;
}

/** Collects the traces of one transaction. */
class ReplayTracer {
  private readonly tree: FrameTreeTracer;
  private readonly vm: VmTracer | undefined;
  readonly tracer: Tracer;

  constructor(
    types: TraceTypes,
    budget: AnswerBudget,
    natives: NativeCalls,
    private readonly changes: PrestateTracer | undefined,
  ) {
    this.tree = new FrameTreeTracer(budget, natives);
    this.vm = types.vmTrace ? new VmTracer(budget) : undefined;
    this.tracer = joinedTracers([this.tree, changes, this.vm].filter((one) => one !== undefined));
  }

  results(message: TracedMessage, outcome: TransactionOutcome, { trace }: TraceTypes): TraceResults {
    return {
      output: toData(outcome.output ?? EMPTY_BYTES),
      stateDiff: this.changes === undefined ? null : stateDiff(this.changes.touched),
      trace: trace ? unplacedTraces(this.tree.messageTree(message, outcome, 0)) : [],
      vmTrace: this.vm?.trace() ?? null,
    };
  }
}

/** Creates the tracers of one response, which share its budget. */
class ReplayTracers {
  private observed: ObservedState | undefined;

  constructor(
    private readonly types: TraceTypes,
    private readonly config: ApiConfig,
    private readonly budget = new AnswerBudget(config.maxResponseSize),
  ) {}

  /** The state to execute on. */
  observe(state: JournaledState): WorldState {
    if (!this.types.stateDiff) return state;
    this.observed = new ObservedState(state, this.budget);
    return this.observed;
  }

  create(): ReplayTracer {
    const changes = this.observed && new PrestateTracer(this.observed);
    return new ReplayTracer(this.types, this.budget, nativesOfTraces(this.config), changes);
  }
}

/**
 * Traces of a block's transactions, each with its hash. Throws {@link RpcError} if the block cannot be executed again.
 */
export function replayTraces(
  chain: ChainReader,
  config: ApiConfig,
  { blockHash, index: wanted, types }: ReplayTracesRequest,
): (TraceResults & { transactionHash: string })[] {
  const block = requireBlock(chain, blockHash);
  const tracers = new ReplayTracers(types, config);
  const created = new Map<number, ReplayTracer>();
  const replay = replayBlock(
    chain,
    block,
    (index) => {
      if (wanted !== undefined && wanted !== index) return undefined;
      const one = tracers.create();
      created.set(index, one);
      return one.tracer;
    },
    (state) => tracers.observe(state),
  );
  if (replay === undefined) return [];
  return [...created].map(([index, one]) => {
    const message = transactionMessage(chain, block, index);
    const results = one.results(message, replay.execution.outcomes[index]!, types);
    return { ...results, transactionHash: toData(block.transactions[index]!.hash) };
  });
}

/** Traces of one transaction. Throws as {@link replayTraces}. */
export function replayOneTransaction(
  chain: ChainReader,
  config: ApiConfig,
  request: ReplayTracesRequest,
): TraceResults | null {
  const [only] = replayTraces(chain, config, request);
  if (only === undefined) return null;
  const { transactionHash: _, ...results } = only;
  return results;
}

/** Traces of a call that is executed as an unsigned transaction. Throws {@link RpcError} if it cannot start. */
export function callTraces(chain: SimulationChain, config: ApiConfig, request: CallTracesRequest): TraceResults {
  const opened = openCall(chain, request);
  const tracers = new ReplayTracers(request.types, config);
  const observed = tracers.observe(opened.simulation.state);
  const one = tracers.create();
  return one.results(opened.message, executeOpened(opened, one.tracer, observed), request.types);
}

/** Calls to trace, each on the state after the calls before it: plain data that can be sent to another thread. */
export interface ManyCallTracesRequest extends BundlesRequest {
  /** Kinds of traces for each call of the only bundle. */
  types: readonly TraceTypes[];
}

/** Traces of calls that build on each other. Throws {@link RpcError} if one cannot start. */
export function manyCallTraces(
  chain: ChainReader,
  config: ApiConfig,
  request: ManyCallTracesRequest,
  limit: WorkLimit,
): TraceResults[] {
  const budget = new AnswerBudget(config.maxResponseSize);
  let next = 0;
  const [results] = runBundles(chain, request, limit, ({ simulation, message }, execute) => {
    const types = request.types[next++]!;
    const tracers = new ReplayTracers(types, config, budget);
    const observed = tracers.observe(simulation.state);
    const one = tracers.create();
    return one.results(message, execute(one.tracer, observed), types);
  });
  return results!;
}
