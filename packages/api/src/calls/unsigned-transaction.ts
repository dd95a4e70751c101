import type { Simulation } from "@cambium/chain";
import { rulesAt } from "@cambium/config";
import { EvmError, intrinsicGas, type LocalCall, type LocalCallOutcome, type Tracer } from "@cambium/evm";
import type { ExecutingBlock, WorldState } from "@cambium/state";
import { buildTransaction } from "@cambium/types";
import { serverError } from "../errors.js";
import { type BlockOverrides, overriddenBlock } from "./block-overrides.js";
import type { CallObject } from "./call-object.js";
import { cappedGas, DEFAULT_GAS, type SimulationChain, type SimulationRequest } from "./simulation.js";
import { nativeCallFailure } from "./simulation-failure.js";
import { applyOverrides } from "./state-overrides.js";

/** A call to execute with the effects of a transaction: plain data that can be sent to another thread. */
export interface UnsignedRequest extends SimulationRequest {
  blockOverrides: BlockOverrides;
}

/** The outermost call or creation of a transaction. */
export interface TracedMessage {
  from: Uint8Array;
  /** Empty for a creation. */
  to: Uint8Array;
  isCreation: boolean;
  value: bigint;
  input: Uint8Array;
  /** Gas limit less the intrinsic gas. */
  gas: number;
  gasLimit: number;
}

/** A call that can be executed, and its block and state with overrides. */
export interface OpenedCall {
  simulation: Simulation;
  block: ExecutingBlock;
  call: LocalCall;
  message: TracedMessage;
}

/** Opens the state of a request and prepares its call. Throws as {@link prepareCall}. */
export function openCall(chain: SimulationChain, request: UnsignedRequest): OpenedCall {
  const simulation = chain.openSimulation(request.blockHash);
  const block = overriddenBlock(simulation.block, request.blockOverrides);
  applyOverrides(simulation.state, request.overrides);
  return prepareCall(chain, { simulation, block }, request.call, request.gasCap);
}

/**
 * Prepares a call for execution. Throws {@link RpcError} `SERVER_ERROR` if its gas is less than the intrinsic gas, or
 * if a named sender cannot pay for value and gas.
 */
export function prepareCall(
  chain: Pick<SimulationChain, "network">,
  { simulation, block }: Pick<OpenedCall, "simulation" | "block">,
  given: CallObject,
  gasCap: number,
): OpenedCall {
  const { from, to, value, data, gasPrice } = given;
  // Some libraries send 0 for no limit.
  const call: LocalCall = { ...given, gasLimit: cappedGas(given.gas || DEFAULT_GAS, gasCap) };
  const rules = rulesAt(chain.network, block.number);
  const intrinsic = BigInt(intrinsicGas(buildTransaction({ ...call, nonce: 0n }), rules, chain.network));
  if (call.gasLimit < intrinsic) throw serverError("intrinsic gas too low");
  const cost = value + gasPrice * call.gasLimit;
  const balance = given.isAnonymous ? cost : simulation.state.getBalance(from);
  if (balance < value) throw serverError("insufficient funds for transfer");
  if (balance < cost) throw serverError("insufficient funds for gas * price + value");
  const gas = Number(call.gasLimit - intrinsic);
  const gasLimit = Number(call.gasLimit);
  const isCreation = to.length === 0;
  return { simulation, block, call, message: { from, to, isCreation, value, input: data, gas, gasLimit } };
}

/** Executes a prepared call. Throws {@link RpcError} `EXECUTION_FAILED` if a native contract cannot start. */
export function executeOpened(
  { simulation, block, call }: OpenedCall,
  tracer: Tracer | undefined,
  observed: WorldState,
): LocalCallOutcome {
  try {
    return simulation.execute(call, block, tracer, observed);
  } catch (error) {
    throw error instanceof EvmError ? nativeCallFailure() : error;
  }
}
