import { METHODS } from "@cambium/api";
import type { Chain } from "@cambium/chain";
import { createRpcServer, DEFAULT_RPC_CONFIG, type RpcConfig, type RpcServer } from "@cambium/rpc";
import type { TransactionPool } from "@cambium/txpool";
import { failed, pending } from "../comparison.js";
import type { CaseResult } from "../interface.js";
import { firstDifference } from "../json-difference.js";
import { withoutAdditions } from "../rpc/additions.js";
import { ALL_MODULES } from "../rpc-modules.js";
import { SILENT } from "../silent-logger.js";
import type { DecisionContext, Json, RpcEntry } from "./rpc-decisions/decision.js";
import { byDecision } from "./rpc-decisions/index.js";
import { isSimulation, simulatedAsDeployed } from "./rpc-decisions/simulation.js";

/** A line of `rpc-NN.jsonl`: the entries of a scenario. */
export interface RpcCase {
  name: string;
  rpc: RpcEntry[];
}

const SERVED: ReadonlySet<string> = new Set(METHODS.map(({ name }) => name));
const REFERENCE_CALL_GAS_CAP = 50_000_000;
const REFERENCE_ESTIMATION_CAP = 6_800_000;

/** All modules enabled and no limits: the vectors have only gas limits. */
const CONFIG: RpcConfig = {
  ...DEFAULT_RPC_CONFIG,
  modules: ALL_MODULES,
  finality: false,
  ws: { ...DEFAULT_RPC_CONFIG.ws, enabled: false },
  timeout: 0,
  maxResponseSize: 0,
  callGasCap: REFERENCE_CALL_GAS_CAP,
  gasEstimationCap: REFERENCE_ESTIMATION_CAP,
};

/** The modules of a scenario's node. */
export interface ScenarioParts {
  chain: Chain;
  pool: TransactionPool;
}

/**
 * Sends the requests that a scenario has after a number of steps. Calls and estimates are also sent to a node with
 * deployed behaviour.
 */
export async function* answerQuestions(
  { name, rpc }: RpcCase,
  afterStep: number,
  parts: ScenarioParts,
): AsyncGenerator<CaseResult> {
  const servers = new Servers(parts);
  const recorded = (method: string, params: Json[]) => findRecorded(rpc, afterStep, method, params);
  for (const [index, entry] of rpc.entries()) {
    if (entry.afterStep !== afterStep) continue;
    const method = productName(entry.method);
    const title = `${name}/rpc ${index + 1} ${method}`;
    const asked = (server: RpcServer): Question => ({ entry: { ...entry, method }, server, ...parts, recorded });
    const compatibility = isTrace(method) ? "deployed" : "specification";
    yield await ask(asked(servers.of(entry, compatibility)), title, byDecision);
    if (!isSimulation(method)) continue;
    yield await ask(asked(servers.of(entry, "deployed")), `${title} as deployed`, simulatedAsDeployed);
  }
  await servers.close();
}

/** Whether the answer has another form than the recorded one, except as deployed. */
function isTrace(method: string): boolean {
  return method.startsWith("debug_trace") || method.startsWith("trace_");
}

/** One server for each behaviour and combination of limits in the entries. */
class Servers {
  private readonly servers = new Map<string, RpcServer>();

  constructor(private readonly parts: ScenarioParts) {}

  /**
   * The reference does not limit estimates to a block, so these servers do not either. With less gas than was recorded,
   * a call may forward all remaining gas, and the estimate then follows another formula (`spec/09 §8.3`). The recording
   * release executed with the gas that the caller named, up to the cap; its successors ignore that gas.
   */
  of(entry: RpcEntry, compatibility: RpcConfig["compatibility"]): RpcServer {
    const { callGasCap = CONFIG.callGasCap } = entry;
    const cap = entry.gasEstimationCap ?? CONFIG.gasEstimationCap;
    const gasEstimationCap = compatibility === "deployed" ? Math.min(cap, namedGas(entry)) : cap;
    const key = `${compatibility} ${gasEstimationCap} ${callGasCap}`;
    let server = this.servers.get(key);
    if (server === undefined) {
      const config = { ...CONFIG, compatibility, gasEstimationCap, callGasCap };
      const pendingGasLimit = () => gasEstimationCap;
      server = createRpcServer({ ...this.parts, config, pendingGasLimit, clientVersion: "", logger: SILENT });
      this.servers.set(key, server);
    }
    return server;
  }

  async close(): Promise<void> {
    for (const server of this.servers.values()) await server.close();
  }
}

/** Gas in the call object of a request, infinite if there is none. */
function namedGas({ method, params }: RpcEntry): number {
  const gas = Number((params[0] as { gas?: string } | undefined)?.gas);
  return method === "eth_estimateGas" && gas > 0 ? gas : Number.POSITIVE_INFINITY;
}

function findRecorded(rpc: readonly RpcEntry[], afterStep: number, method: string, params: Json[]): Json {
  const wanted = JSON.stringify(params);
  const found = rpc.find((entry) => {
    return entry.afterStep === afterStep && entry.method === method && JSON.stringify(entry.params) === wanted;
  });
  return found !== undefined && "result" in found.response ? withProductNames(found.response.result) : null;
}

/** A request, and the inputs of its decisions. */
type Question = Omit<DecisionContext, "own"> & { server: RpcServer };

async function ask({ server, ...context }: Question, name: string, convert: typeof byDecision): Promise<CaseResult> {
  const { entry } = context;
  const { method, params } = entry;
  if (!SERVED.has(method)) return pending(name, `rpc method ${method}`);
  const response = (await server.handle({ jsonrpc: "2.0", id: 1, method, params })) as Json;
  const { jsonrpc: _version, id: _id, ...answer } = withoutAdditions(response);
  const expected = convert(withProductNames(entry.response), answer, { ...context, own: answer.result });
  const difference = firstDifference(answer, expected);
  return difference === undefined ? { name, outcome: "passed" } : failed(name, difference);
}

/** This node's name of a reference method (`spec/09`, table of names). */
function productName(method: string): string {
  return method.replace(/^rsk_/, "chain_");
}

const MEMBERS: Readonly<Record<string, string>> = {
  bitcoinMergedMiningHeader: "parentChainMergedMiningHeader",
  bitcoinMergedMiningCoinbaseTransaction: "parentChainMergedMiningCoinbaseTransaction",
  bitcoinMergedMiningMerkleProof: "parentChainMergedMiningMerkleProof",
  rskPteEdges: "pteEdges",
};

function withProductNames<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withProductNames) as T;
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [MEMBERS[name] ?? name, withProductNames(member)]);
  return Object.fromEntries(members) as T;
}
