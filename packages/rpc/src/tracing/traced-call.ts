import type { ChainReader } from "@cambium/chain";
import { type EthereumHardfork, EvmError } from "@cambium/evm";
import { overriddenBlock } from "../calls/block-overrides.js";
import { type BundlesRequest, runBundles } from "../calls/bundle-run.js";
import { cappedGas, DEFAULT_GAS, type SimulationChain } from "../calls/simulation.js";
import { applyOverrides } from "../calls/state-overrides.js";
import { executeOpened, openCall, type UnsignedRequest } from "../calls/unsigned-transaction.js";
import type { RpcConfig } from "../config.js";
import { serverError } from "../errors.js";
import type { WorkLimit } from "../limits.js";
import { AnswerBudget } from "./answer-budget.js";
import { NOWHERE } from "./flat-call-tracer.js";
import { type DebugTrace, stepTracer, TracerFactory } from "./selected-tracer.js";
import type { TraceOptions } from "./trace-options.js";

/** A call to trace: plain data that can be sent to another thread. */
export interface TraceCallRequest extends UnsignedRequest {
  options: TraceOptions;
  /** See `TraceCallOptions`. */
  ethereum?: EthereumHardfork;
}

/**
 * Trace of a call that is executed as an unsigned transaction. Rejects with {@link RpcError} if it cannot start, or on
 * a limit.
 */
export async function traceCall(
  chain: SimulationChain,
  config: RpcConfig,
  request: TraceCallRequest,
  limit: WorkLimit,
): Promise<DebugTrace> {
  if (request.ethereum !== undefined) return traceEthereumCall(chain, config, request, request.ethereum, limit);
  const opened = openCall(chain, request);
  const factory = new TracerFactory(request.options, config);
  const { state } = opened.simulation;
  const observed = factory.observe(state);
  const { tracer, trace } = factory.create(state);
  const outcome = executeOpened(opened, tracer, observed);
  return trace({ message: opened.message, outcome, firstLog: 0, position: NOWHERE });
}

/** Bundles of calls to trace: plain data that can be sent to another thread. */
export interface TraceBundlesRequest extends BundlesRequest {
  options: TraceOptions;
}

/** Traces of calls that build on each other. Throws {@link RpcError} as {@link runBundles}, or on a limit. */
export function traceCalls(
  chain: ChainReader,
  config: RpcConfig,
  request: TraceBundlesRequest,
  limit: WorkLimit,
): DebugTrace[][] {
  const factory = new TracerFactory(request.options, config);
  return runBundles(chain, request, limit, ({ simulation: { state }, message }, execute) => {
    const observed = factory.observe(state);
    const { tracer, trace } = factory.create(state);
    return trace({ message, outcome: execute(tracer, observed), firstLog: 0, position: NOWHERE });
  });
}

/**
 * The same under the rules of Ethereum, for authors who port contracts and for those who weigh a change of the rules.
 */
async function traceEthereumCall(
  chain: SimulationChain,
  config: RpcConfig,
  request: TraceCallRequest,
  hardfork: EthereumHardfork,
  limit: WorkLimit,
): Promise<DebugTrace> {
  // The library takes longer to load than most nodes need it.
  const { executeEthereum } = await import("@cambium/evm/ethereum");
  const { state, block: original } = chain.openSimulation(request.blockHash);
  const block = overriddenBlock(original, request.blockOverrides);
  applyOverrides(state, request.overrides);
  const { call, options } = request;
  const gasLimit = cappedGas(call.gas ?? DEFAULT_GAS, request.gasCap);
  const { tracer, trace } = stepTracer(state, options, config, new AnswerBudget(config.maxResponseSize));
  const { chainId } = chain.network;
  const check = () => limit.check();
  try {
    const outcome = await executeEthereum({ ...call, gasLimit }, { hardfork, chainId, block, state, tracer, check });
    return trace({ message: { to: call.to }, outcome });
  } catch (error) {
    throw error instanceof EvmError ? serverError(`Ethereum would not execute it: ${error.details.reason}`) : error;
  }
}
