import type { ChainReader } from "@cambium/chain";
import { type EthereumHardfork, EvmError } from "@cambium/evm";
import { overriddenBlock } from "../calls/block-overrides.js";
import { type BundlesRequest, runBundles } from "../calls/bundle-run.js";
import { cappedGas, DEFAULT_GAS, type SimulationChain } from "../calls/simulation.js";
import { applyOverrides } from "../calls/state-overrides.js";
import { executeOpened, type OpenedCall, openCall, type UnsignedRequest } from "../calls/unsigned-transaction.js";
import type { ApiConfig } from "../config.js";
import { serverError } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { type DebugTrace, stepTracer, TracerFactory } from "./selected-tracer.js";
import type { TraceOptions } from "./trace-options.js";
import { AnswerBudget } from "./tracers/answer-budget.js";
import { NOWHERE } from "./tracers/flat-call-tracer.js";
import type { TracedStart } from "./tracers/traced-start.js";

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
  config: ApiConfig,
  request: TraceCallRequest,
  limit: WorkLimit,
): Promise<DebugTrace> {
  if (request.ethereum !== undefined) return traceEthereumCall(chain, config, request, request.ethereum, limit);
  const factory = await TracerFactory.open(request.options, config, limit);
  return factory.collect(() => {
    const opened = openCall(chain, request);
    const { state } = opened.simulation;
    const observed = factory.observe(state);
    const { tracer, trace } = factory.create(state, startOf(chain, opened));
    return trace({ outcome: executeOpened(opened, tracer, observed), firstLog: 0 });
  });
}

/** Bundles of calls to trace: plain data that can be sent to another thread. */
export interface TraceBundlesRequest extends BundlesRequest {
  options: TraceOptions;
}

/** Traces of calls that build on each other. Rejects with {@link RpcError} as {@link runBundles}, or on a limit. */
export async function traceCalls(
  chain: ChainReader,
  config: ApiConfig,
  request: TraceBundlesRequest,
  limit: WorkLimit,
): Promise<DebugTrace[][]> {
  const factory = await TracerFactory.open(request.options, config, limit);
  return factory.collect(() => {
    return runBundles(chain, request, limit, (opened, execute) => {
      const { state } = opened.simulation;
      const observed = factory.observe(state);
      const { tracer, trace } = factory.create(state, startOf(chain, opened));
      return trace({ outcome: execute(tracer, observed), firstLog: 0 });
    });
  });
}

function startOf({ network }: Pick<SimulationChain, "network">, { message, call, block }: OpenedCall): TracedStart {
  return { network, message, gasPrice: call.gasPrice, block, position: NOWHERE };
}

/** Traces a call under the rules of Ethereum, for authors who port contracts and for studies of rule changes. */
async function traceEthereumCall(
  chain: SimulationChain,
  config: ApiConfig,
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
  const { tracer, trace } = stepTracer(state, options, config, call.to, new AnswerBudget(config.maxResponseSize));
  const { chainId } = chain.network;
  const check = () => limit.check();
  try {
    const outcome = await executeEthereum({ ...call, gasLimit }, { hardfork, chainId, block, state, tracer, check });
    return trace({ outcome, firstLog: 0 });
  } catch (error) {
    throw error instanceof EvmError ? serverError(`Ethereum would not execute it: ${error.details.reason}`) : error;
  }
}
