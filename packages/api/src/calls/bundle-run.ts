import type { ChainReader, Simulation } from "@cambium/chain";
import type { LocalCallOutcome, Tracer } from "@cambium/evm";
import { EMPTY_BYTES, toData } from "@cambium/primitives";
import type { WorldState } from "@cambium/state";
import { invalidParams } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { overriddenBlock } from "./block-overrides.js";
import type { Bundle } from "./bundles.js";
import { simulationChain } from "./pending-simulation.js";
import { withStoredState } from "./replay.js";
import type { SimulationChain, SimulationRequest } from "./simulation.js";
import { failureReason, revertReason } from "./simulation-failure.js";
import { applyOverrides } from "./state-overrides.js";
import { executeOpened, type OpenedCall, prepareCall } from "./unsigned-transaction.js";

/** Bundles of calls on one state: plain data that can be sent to another thread. */
export interface BundlesRequest extends Pick<SimulationRequest, "blockHash" | "pending" | "overrides" | "gasCap"> {
  bundles: readonly Bundle[];
  /** See `StateContext`. */
  transactionIndex: number | undefined;
}

/** Result of one call: its output, or why it failed. */
export type BundledResult = { value: string } | { error: string };

/** Produces a trace or an outcome from an opened call. */
export type CallRunner<T> = (opened: OpenedCall, execute: BundledExecution) => T;
type BundledExecution = (tracer?: Tracer, observed?: WorldState) => LocalCallOutcome;

/** Outputs of calls (`eth_callMany`). Throws {@link RpcError} as {@link runBundles}. */
export function callMany(chain: ChainReader, request: BundlesRequest, limit: WorkLimit): BundledResult[][] {
  return runBundles(chain, request, limit, (_, execute) => resultOf(execute()));
}

/**
 * Executes the calls in order, as unsigned transactions. Overrides of a block last for those after it; each further
 * bundle sees the number and the time of the block before it, plus one, as in Erigon. Throws {@link RpcError} if a call
 * cannot start.
 */
export function runBundles<T>(
  chain: ChainReader,
  request: BundlesRequest,
  limit: WorkLimit,
  run: CallRunner<T>,
): T[][] {
  const { bundles, overrides, gasCap } = request;
  const opened = open(chain, request);
  const { simulation } = opened;
  applyOverrides(simulation.state, overrides);
  let { block } = simulation;
  return bundles.map(({ calls, blockOverrides }, index) => {
    if (index > 0) block = { ...block, number: block.number + 1, timestamp: block.timestamp + 1n };
    block = overriddenBlock(block, blockOverrides);
    return calls.map((call) => {
      limit.check();
      const one = prepareCall(opened.chain, { simulation, block }, call, gasCap);
      return run(one, (tracer, observed = simulation.state) => executeOpened(one, tracer, observed));
    });
  });
}

function open(chain: ChainReader, request: BundlesRequest): { chain: SimulationChain; simulation: Simulation } {
  const { blockHash, transactionIndex: index, pending } = request;
  const over = simulationChain(chain, request);
  if (index === undefined) return { chain: over, simulation: over.openSimulation(blockHash) };
  if (pending !== undefined) throw invalidParams("a transaction index needs a mined block");
  const block = chain.blockByHash(blockHash);
  const count = block?.transactions.length ?? 0;
  if (index === count) return { chain: over, simulation: over.openSimulation(blockHash) };
  if (block === undefined || index > count) throw invalidParams(`transaction index ${index} of ${count}`);
  return { chain: over, simulation: withStoredState(block, () => chain.openTransaction(block, index)) };
}

function resultOf(outcome: LocalCallOutcome): BundledResult {
  const { reverted, exception } = outcome;
  const output = outcome.output ?? EMPTY_BYTES;
  if (exception !== undefined) return { error: failureReason(exception) };
  if (!reverted) return { value: toData(output) };
  const reason = revertReason(output);
  return { error: reason === undefined ? "execution reverted" : `execution reverted: ${reason}` };
}
