import { requireHeader, requireState } from "../block-lookup.js";
import { type BlockSelector, blockSelector } from "../block-selector.js";
import { NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import { CALL_OBJECT, type CallObject } from "../calls/call-object.js";
import { pendingRead } from "../calls/pending-reads.js";
import { simulatedCandidate } from "../calls/pending-simulation.js";
import type { SimulationRequest } from "../calls/simulation.js";
import { type AccountOverride, refusePrecompiled, STATE_OVERRIDES } from "../calls/state-overrides.js";
import { isDeployed } from "../compatibility.js";
import { invalidParams } from "../errors.js";
import type { Deadline } from "../limits.js";
import { defineMethod, type MethodDefinition, optional, type RpcModules, required } from "../requests/method.js";
import { SIMULATION_PAYLOAD } from "../simulate/simulation-payload.js";
import { arrayOf, BYTES, QUANTITY, resource } from "./result-schemas.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: true, hash: true, map: true });
/** Default of the deployed client (`spec/09 §8.3`). */
const DEPLOYED_ESTIMATION_CAP = 6_800_000;
const NONE: readonly AccountOverride[] = [];

const SIMULATION_PARAMS = [
  required("call", CALL_OBJECT),
  optional("block", BLOCK, LATEST),
  optional("stateOverrides", STATE_OVERRIDES, NONE),
] as const;

/** Methods that execute without changing anything (`spec/09 §8`). */
export const SIMULATION_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_call",
    summary: "Executes a call on the state of a block and returns its output",
    params: SIMULATION_PARAMS,
    result: BYTES,
    isHeavy: true,
    handler: async (modules, [call, block, overrides], deadline) => {
      const { callGasCap: gasCap } = modules.config;
      const request = await simulation(modules, { call, block, overrides, gasCap }, deadline);
      return modules.heavy.run("call", request, deadline);
    },
  }),
  defineMethod({
    name: "eth_estimateGas",
    summary: "Gas that a transaction needs, found by executing it",
    params: SIMULATION_PARAMS,
    result: QUANTITY,
    isHeavy: true,
    handler: async (modules, [call, block, overrides], deadline) => {
      const gasCap = estimationCap(modules);
      const request = await simulation(modules, { call, block, overrides, gasCap }, deadline);
      return modules.heavy.run("estimateGas", request, deadline);
    },
  }),
  defineMethod({
    name: "eth_simulateV1",
    summary:
      "Executes calls in blocks on top of a block, each on the state that those before it left; simulated blocks have no " +
      "reward transaction and no state root",
    params: [required("simulation", SIMULATION_PAYLOAD), optional("block", BLOCK, LATEST)],
    result: arrayOf(resource("SimulatedBlock")),
    isHeavy: true,
    handler: async (modules, [payload, block], deadline) => {
      const overrides = payload.blocks.flatMap((one) => one.overrides);
      const { callGasCap: gasCap } = modules.config;
      const base = await simulationBlock(modules, block, overrides, deadline);
      return modules.heavy.run("simulateBlocks", { payload, ...base, gasCap }, deadline);
    },
  }),
  defineMethod({
    name: "eth_createAccessList",
    summary:
      "Accounts and cells that a call accesses, and its gas; transactions of this chain have no access lists, so that it is for information",
    params: SIMULATION_PARAMS,
    result: resource("AccessList"),
    isHeavy: true,
    handler: async (modules, [call, block, overrides], deadline) => {
      const { callGasCap: gasCap } = modules.config;
      const request = await simulation(modules, { call, block, overrides, gasCap }, deadline);
      return modules.heavy.run("accessList", { ...request, blockOverrides: NO_BLOCK_OVERRIDES }, deadline);
    },
  }),
];

/** The gas limit of the pending block (00, Simulation, 3), or a lower one of the configuration. */
function estimationCap({ chain, config, pendingGasLimit }: RpcModules): number {
  const blockLimit = pendingGasLimit?.() ?? Number(chain.best().header.gasLimitValue);
  const ownCap = isDeployed(config) ? DEPLOYED_ESTIMATION_CAP : blockLimit;
  return Math.min(config.gasEstimationCap > 0 ? config.gasEstimationCap : ownCap, blockLimit);
}

export interface Simulation {
  call: CallObject;
  block: BlockSelector;
  overrides: readonly AccountOverride[];
  gasCap: number;
}

/** Validates a call as far as possible without executing it, and prepares it for the executor. */
export async function simulation(
  modules: RpcModules,
  { call, block, overrides, gasCap }: Simulation,
  deadline: Deadline,
): Promise<SimulationRequest> {
  return { call, ...(await simulationBlock(modules, block, overrides, deadline)), overrides, gasCap };
}

/** The block on whose state to execute. Throws {@link RpcError} if its state is unknown, or the overrides are not allowed. */
async function simulationBlock(
  { chain, config, pendingBlock }: RpcModules,
  block: BlockSelector,
  overrides: readonly AccountOverride[],
  deadline: Deadline,
): Promise<Pick<SimulationRequest, "blockHash" | "pending">> {
  if (overrides.length > 0 && !config.allowCallStateOverride) throw invalidParams("State override is not allowed");
  if (block.kind === "pending" && pendingBlock !== undefined) {
    const latest = await pendingRead(pendingBlock(), deadline);
    const { number, hash } = latest.block;
    refusePrecompiled(overrides, chain, number);
    return { blockHash: hash, pending: simulatedCandidate(latest) };
  }
  const header = requireHeader(chain, block);
  requireState(chain, { kind: "hash", hash: header.hash, requireCanonical: false, text: "" });
  refusePrecompiled(overrides, chain, header.number);
  return { blockHash: header.hash };
}
