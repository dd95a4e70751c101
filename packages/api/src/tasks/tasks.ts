import type { ChainReader } from "@cambium/chain";
import { type BundlesRequest, callMany } from "../calls/bundle-run.js";
import { simulationChain } from "../calls/pending-simulation.js";
import { estimateGas, type SimulationRequest, simulateCall } from "../calls/simulation.js";
import type { UnsignedRequest } from "../calls/unsigned-transaction.js";
import { compatibilityOf, isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { sizeLimitExceeded } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { type LogRequest, searchLogs } from "../logs/log-search.js";
import { type FeeHistoryRequest, feeHistory } from "../lookups/fee-history.js";
import { shownChain } from "../lookups/shown-chain.js";
import { type ProofRequest, proveAccount } from "../lookups/state-proof.js";
import { JsonText } from "../objects/json-text.js";
import { addressPage } from "../otterscan/address-page.js";
import type { AddressSearchRequest } from "../otterscan/address-search.js";
import { type CallTreeRequest, viewCallTree } from "../otterscan/call-tree.js";
import { contractCreator } from "../otterscan/contract-creator.js";
import { type BlocksRequest, simulateBlocks } from "../simulate/simulate-blocks.js";
import { createAccessList } from "../tracing/access-list.js";
import { type DebugTraceRequest, debugTraces, traceOneTransaction } from "../tracing/debug-traces.js";
import {
  type CallTracesRequest,
  callTraces,
  type ManyCallTracesRequest,
  manyCallTraces,
  type ReplayTracesRequest,
  replayOneTransaction,
  replayTraces,
} from "../tracing/replayed-traces.js";
import {
  type BlockTracesRequest,
  filterTraces,
  type TraceFilterRequest,
  tracesOfBlock,
} from "../tracing/trace-search.js";
import { type TraceBundlesRequest, type TraceCallRequest, traceCall, traceCalls } from "../tracing/traced-call.js";

/** The parts that a task reads, in whichever thread it runs. */
export interface TaskParts {
  chain: ChainReader;
  config: ApiConfig;
}

/** Requests by task name: plain data that can be sent to another thread. */
export interface HeavyTasks {
  call: SimulationRequest;
  estimateGas: SimulationRequest;
  accessList: UnsignedRequest;
  callMany: BundlesRequest;
  simulateBlocks: BlocksRequest;
  logs: LogRequest;
  feeHistory: FeeHistoryRequest;
  proof: ProofRequest;
  debugTransaction: DebugTraceRequest;
  debugBlock: DebugTraceRequest;
  debugCall: TraceCallRequest;
  debugCallMany: TraceBundlesRequest;
  traces: BlockTracesRequest;
  replayTransaction: ReplayTracesRequest;
  replayBlock: ReplayTracesRequest;
  callTraces: CallTracesRequest;
  manyCallTraces: ManyCallTracesRequest;
  traceFilter: TraceFilterRequest;
  callTree: CallTreeRequest;
  addressPage: AddressSearchRequest;
  contractCreator: Uint8Array;
}

export type HeavyTaskName = keyof HeavyTasks;

type Task<Request> = (parts: TaskParts, request: Request, limit: WorkLimit) => unknown;

const TASKS: { readonly [Name in HeavyTaskName]: Task<HeavyTasks[Name]> } = {
  call: ({ chain, config }, request) => simulateCall(simulationChain(chain, request), request, isDeployed(config)),
  estimateGas: ({ chain, config }, request) => {
    return estimateGas(simulationChain(chain, request), request, compatibilityOf({ chain, config }));
  },
  accessList: ({ chain, config }, request) => createAccessList(simulationChain(chain, request), config, request),
  callMany: ({ chain }, request, limit) => callMany(chain, request, limit),
  simulateBlocks: (parts, request, limit) =>
    simulateBlocks(parts, simulationChain(parts.chain, request), request, limit),
  logs: ({ chain, config }, request, limit) => searchLogs(chain, config, request, limit),
  feeHistory: ({ chain }, request, limit) => feeHistory(chain, request, limit),
  proof: ({ chain }, request, limit) => proveAccount(chain, request, limit),
  debugTransaction: ({ chain, config }, request, limit) => traceOneTransaction(chain, config, request, limit),
  debugBlock: ({ chain, config }, request, limit) => debugTraces(chain, config, request, limit),
  debugCall: ({ chain, config }, request, limit) => traceCall(simulationChain(chain, request), config, request, limit),
  debugCallMany: ({ chain, config }, request, limit) => traceCalls(chain, config, request, limit),
  replayTransaction: ({ chain, config }, request) => replayOneTransaction(chain, config, request),
  replayBlock: ({ chain, config }, request) => replayTraces(chain, config, request),
  callTraces: ({ chain, config }, request) => callTraces(simulationChain(chain, request), config, request),
  manyCallTraces: ({ chain, config }, request, limit) => manyCallTraces(chain, config, request, limit),
  traces: ({ chain, config }, request) => tracesOfBlock(chain, config, request),
  traceFilter: ({ chain, config }, request, limit) => filterTraces(chain, config, request, limit),
  callTree: ({ chain, config }, request) => viewCallTree(chain, config, request),
  addressPage: ({ chain, config }, request, limit) => addressPage(chain, config, request, limit),
  contractCreator: ({ chain }, address) => contractCreator(chain, address),
};

/** Runs a task in this thread. */
export async function runTask<Name extends HeavyTaskName>(
  name: Name,
  parts: TaskParts,
  request: HeavyTasks[Name],
  limit: WorkLimit,
): Promise<unknown> {
  return runNow(name, parts, request, limit);
}

/** Works like {@link runTask}, but the result of a synchronous task is no promise. */
export function runNow<Name extends HeavyTaskName>(
  name: Name,
  parts: TaskParts,
  request: HeavyTasks[Name],
  limit: WorkLimit,
): unknown {
  const { chain, config } = parts;
  return TASKS[name]({ chain: shownChain(chain, config), config }, request, limit);
}

/** A result as text. Throws {@link RpcError} `LIMIT_EXCEEDED` if it is too long for a response. */
export function resultText(result: unknown, { maxResponseSize }: ApiConfig): string {
  const text = result instanceof JsonText ? result.text : JSON.stringify(result);
  if (maxResponseSize > 0 && text.length > maxResponseSize) throw sizeLimitExceeded(maxResponseSize);
  return text;
}
