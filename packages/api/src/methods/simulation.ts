import { BLOCK_OVERRIDES, type BlockOverrides, NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import type { BundlesRequest } from "../calls/bundle-run.js";
import { BUNDLES, type Bundle, LATEST_STATE, STATE_CONTEXT, type StateContext } from "../calls/bundles.js";
import { CALL_OBJECT, type CallObject } from "../calls/call-object.js";
import { pendingRead } from "../calls/pending-reads.js";
import { simulatedCandidate } from "../calls/pending-simulation.js";
import type { SimulationRequest } from "../calls/simulation.js";
import { type AccountOverride, refusePrecompiled, STATE_OVERRIDES } from "../calls/state-overrides.js";
import type { UnsignedTransaction } from "../calls/transaction-request.js";
import { isDeployed, servesTools } from "../compatibility.js";
import { EXECUTION_ERRORS } from "../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { invalidParams, type MethodErrorName } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { requireHeader, requireState } from "../lookups/block-lookup.js";
import { JsonText } from "../objects/json-text.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import { arrayOf, BYTES, QUANTITY, resource } from "../schemas/values.js";
import { FILLABLE_TRANSACTION, fillTransaction } from "../sending/transaction-filling.js";
import { fillGas } from "../sending/transaction-sending.js";
import { SIMULATION_PAYLOAD } from "../simulate/simulation-payload.js";

const LATEST: BlockSelector = { kind: "latest" };
/** The block that would be mined next, with no transaction ahead of the call. */
const NEXT = "next";
const BLOCK = blockSelector({ pending: true, hash: true, map: true });
const BLOCK_OR_INTEGER = blockSelector({ pending: true, hash: true, map: true, integer: true });
/** Default of the deployed client (`spec/09 §8.3`). */
const DEPLOYED_ESTIMATION_CAP = 6_800_000;
const NONE: readonly AccountOverride[] = [];

/** Why a simulated block or call is refused. */
const SIMULATION_ERRORS: readonly MethodErrorName[] = [
  "NONCE_TOO_LOW",
  "NONCE_TOO_HIGH",
  "GAS_PRICE_TOO_LOW",
  "INTRINSIC_GAS_TOO_LOW",
  "INSUFFICIENT_FUNDS",
  "BLOCK_GAS_LIMIT",
  "BLOCK_NUMBER_ORDER",
  "BLOCK_TIME_ORDER",
];

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
    params: [...SIMULATION_PARAMS, optional("blockOverrides", BLOCK_OVERRIDES, undefined)],
    result: BYTES,
    isHeavy: true,
    reads: "chain",
    errors: EXECUTION_ERRORS,
    cost: "call",
    handler: async (parts, [call, block, overrides, blockOverrides], deadline) => {
      const { callGasCap: gasCap } = parts.config;
      const request = await simulation(parts, { call, block, overrides, gasCap }, deadline);
      const changed = blockOverrides === undefined ? request : { ...request, blockOverrides };
      return parts.heavy.run("call", changed, deadline);
    },
  }),
  defineMethod({
    name: "eth_estimateGas",
    summary:
      "Gas that a transaction needs, found by executing it; without a block, a network for development executes it in the next one",
    params: [
      required("call", CALL_OBJECT),
      optional("block", BLOCK_OR_INTEGER, undefined),
      optional("stateOverrides", STATE_OVERRIDES, NONE),
    ],
    result: QUANTITY,
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "call",
    handler: (parts, [call, block, overrides], deadline) => {
      return estimate(parts, { call, block: block ?? estimatesAt(parts), overrides }, deadline);
    },
  }),
  defineMethod({
    name: "eth_fillTransaction",
    summary: "Fills in what a transaction lacks to be signed: nonce, gas price and gas",
    params: [required("transaction", FILLABLE_TRANSACTION)],
    result: { type: "object", properties: { raw: BYTES, tx: resource("Transaction") } },
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "call",
    handler: (parts, [transaction], deadline) => {
      return fillTransaction(parts, transaction, (call) => estimateToSend(parts, call, deadline));
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
    errors: ["STATE_NOT_FOUND", ...SIMULATION_ERRORS],
    cost: "call",
    handler: async (parts, [payload, block], deadline) => {
      const overrides = payload.blocks.flatMap((one) => one.overrides);
      const { callGasCap: gasCap } = parts.config;
      const base = await simulationBlock(parts, block, overrides, deadline);
      return parts.heavy.run("simulateBlocks", { payload, ...base, gasCap }, deadline);
    },
  }),
  defineMethod({
    name: "eth_callMany",
    summary:
      "Executes bundles of calls, each on the state that those before it left, and returns the output or error of each; " +
      "a bundle sees a block of its own",
    params: [
      required("bundles", BUNDLES),
      optional("context", STATE_CONTEXT, LATEST_STATE),
      optional("stateOverrides", STATE_OVERRIDES, NONE),
    ],
    result: arrayOf(arrayOf(resource("BundledResult"))),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "call",
    handler: async (parts, [bundles, context, overrides], deadline) => {
      const request = await bundlesRequest(parts, { bundles, context, overrides }, deadline);
      return parts.heavy.run("callMany", request, deadline);
    },
  }),
  defineMethod({
    name: "eth_createAccessList",
    summary:
      "Accounts and cells that a call accesses, and its gas; transactions of this chain have no access lists, so that it is for information",
    params: SIMULATION_PARAMS,
    result: resource("AccessList"),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "call",
    handler: async (parts, [call, block, overrides], deadline) => {
      const { callGasCap: gasCap } = parts.config;
      const request = await simulation(parts, { call, block, overrides, gasCap }, deadline);
      return parts.heavy.run("accessList", { ...request, blockOverrides: NO_BLOCK_OVERRIDES }, deadline);
    },
  }),
];

/**
 * The request with the gas that it needs, if the node fills it in. Rejects with {@link RpcError} if its execution
 * fails.
 */
export function withGas(
  parts: MethodParts,
  request: UnsignedTransaction,
  deadline: Deadline,
): Promise<UnsignedTransaction> {
  return fillGas(parts, request, (call) => estimateToSend(parts, call, deadline));
}

/** Estimates the gas of a transaction to send now. Rejects with {@link RpcError} if it fails. */
async function estimateToSend(parts: MethodParts, call: CallObject, deadline: Deadline): Promise<bigint> {
  const gas = await estimate(parts, { call, block: estimatesAt(parts), overrides: NONE }, deadline);
  return BigInt((gas instanceof JsonText ? gas.toJSON() : gas) as string);
}

/** Gas of a call as a quantity, possibly as {@link JsonText}. Rejects with {@link RpcError} if it fails. */
async function estimate(
  parts: MethodParts,
  { block, ...call }: Pick<Simulation, "call" | "overrides"> & { block: BlockSelector | typeof NEXT },
  deadline: Deadline,
): Promise<unknown> {
  const base = block === NEXT ? LATEST : block;
  const request = await simulation(parts, { ...call, block: base, gasCap: estimationCap(parts) }, deadline);
  const seen = block === NEXT ? { ...request, blockOverrides: nextBlock(parts) } : request;
  return parts.heavy.run("estimateGas", seen, deadline);
}

/**
 * Chooses the block of an estimate if the client names none. On a development chain it is the next block, as in Hardhat
 * and Anvil: the best block can be hours old, or a tool may have moved the clock.
 */
function estimatesAt(parts: MethodParts): BlockSelector | typeof NEXT {
  if (parts.localMiner === undefined || !servesTools(parts)) return LATEST;
  return parts.pool.counts().pending > 0 ? { kind: "pending" } : NEXT;
}

/**
 * Returns the values of the next block that differ from the best one's. Its state is the same if nothing is pending.
 */
function nextBlock({ chain, localMiner }: MethodParts): BlockOverrides {
  const { time: timestamp, coinbase } = localMiner!.next;
  return { ...NO_BLOCK_OVERRIDES, number: chain.best().header.number + 1, timestamp, coinbase };
}

/**
 * The gas limit of the pending block (`spec/09 §8.3`), or a lower one of the configuration. The deployed client does
 * not limit estimates to a block.
 */
function estimationCap({ chain, config, pendingGasLimit }: MethodParts): number {
  const configured = config.gasEstimationCap > 0 ? config.gasEstimationCap : undefined;
  if (isDeployed(config)) return configured ?? DEPLOYED_ESTIMATION_CAP;
  const blockLimit = pendingGasLimit?.() ?? Number(chain.best().header.gasLimitValue);
  return Math.min(configured ?? blockLimit, blockLimit);
}

export interface Simulation {
  call: CallObject;
  block: BlockSelector;
  overrides: readonly AccountOverride[];
  gasCap: number;
}

/** Validates a call as far as possible without executing it, and prepares it for the executor. */
export async function simulation(
  parts: MethodParts,
  { call, block, overrides, gasCap }: Simulation,
  deadline: Deadline,
): Promise<SimulationRequest> {
  return { call, ...(await simulationBlock(parts, block, overrides, deadline)), overrides, gasCap };
}

/** Prepares bundles of calls for the executor. Throws as {@link simulation}. */
export async function bundlesRequest(
  parts: MethodParts,
  given: { bundles: readonly Bundle[]; context: StateContext; overrides: readonly AccountOverride[] },
  deadline: Deadline,
): Promise<BundlesRequest> {
  const { bundles, context, overrides } = given;
  const base = await simulationBlock(parts, context.block, overrides, deadline);
  const { callGasCap: gasCap } = parts.config;
  return { ...base, bundles, overrides, gasCap, transactionIndex: context.transactionIndex };
}

/**
 * Returns the block on whose state the call is executed. Throws {@link RpcError} if its state is unknown, or the
 * overrides are not allowed.
 */
async function simulationBlock(
  { chain, config, pendingBlock }: MethodParts,
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
