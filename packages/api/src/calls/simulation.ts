import type { ChainReader } from "@cambium/chain";
import { type NetworkConfig, rulesAt } from "@cambium/config";
import { EvmError, intrinsicGas, type LocalCall, type LocalCallOutcome } from "@cambium/evm";
import { EMPTY_BYTES, equalBytes, toData, toQuantity } from "@cambium/primitives";
import type { StateReader } from "@cambium/state";
import { largestListGas } from "@cambium/txpool";
import { type BlockHeader, buildTransaction } from "@cambium/types";
import type { Compatibility } from "../config.js";
import { type RpcError, serverError } from "../errors.js";
import { type BlockOverrides, overriddenBlock } from "./block-overrides.js";
import type { CallObject } from "./call-object.js";
import { executionFailure, failureReason, nativeCallFailure } from "./simulation-failure.js";
import { type AccountOverride, applyOverrides } from "./state-overrides.js";

/** The pending block as plain data: the thread that receives it executes none of its transactions. */
export interface SimulatedCandidate {
  header: Uint8Array;
  /** See `PendingBlock`; empty in a message to a thread that has received them before. */
  stateChanges: Uint8Array;
}

/** A call on the state after a block, as plain data that can be sent to another thread. */
export interface SimulationRequest {
  call: CallObject;
  blockHash: Uint8Array;
  /** The block if it is not stored. */
  pending?: SimulatedCandidate;
  overrides: readonly AccountOverride[];
  /** Values of the block that the call sees; undefined: the block's own values. */
  blockOverrides?: BlockOverrides;
  /** Maximum gas; 0 or less: no limit. */
  gasCap: number;
}

/** The part of a chain that a simulation reads. */
export interface SimulationChain {
  readonly network: NetworkConfig;
  headerByHash(hash: Uint8Array): BlockHeader | undefined;
  stateAfter(hash: Uint8Array): StateReader | undefined;
  call: ChainReader["call"];
  openSimulation: ChainReader["openSimulation"];
}

/** Largest amount of gas that the virtual machine counts. */
const ANY_GAS = BigInt(Number.MAX_SAFE_INTEGER);

/** Gas of a call that specifies none, before the cap (`spec/09 §8.1`). */
export const DEFAULT_GAS = 0x5af3107a4000n;

/**
 * Returns the output of a call (`spec/09 §8.2`). Throws {@link RpcError} if it fails. The deployed client then returns
 * no output, unless the execution reverted, and it does not require the funds for the call.
 */
export function simulateCall(chain: SimulationChain, request: SimulationRequest, isDeployed: boolean): string {
  const gasLimit = cappedGas(request.call.gas ?? DEFAULT_GAS, request.gasCap);
  const call: LocalCall = { ...request.call, gasLimit };
  if (gasLimit < neededToStart(call, chain, request.blockHash)) throw serverError("intrinsic gas too low");
  if (!isDeployed) affordableGas(chain, request);
  const outcome = execute(chain, request, call);
  const failure = outcome === undefined ? nativeCallFailure() : executionFailure(outcome);
  if (failure === undefined) return toData(outcome?.output ?? EMPTY_BYTES);
  if (isDeployed && !outcome?.reverted) return "0x";
  throw failure;
}

/**
 * Estimates gas (`spec/09 §8.3`) by an execution and the network's formula. Throws {@link RpcError} if it fails. The
 * deployed client then returns the gas of the failed execution, unless it reverted. It requires neither the funds nor
 * the gas that the caller names. A gas limit too low for any execution counts as none: some libraries send 0.
 */
export function estimateGas(chain: SimulationChain, request: SimulationRequest, compatibility: Compatibility): string {
  const isDeployed = compatibility === "deployed";
  const toStart = neededToStart({ ...request.call, gasLimit: 0n }, chain, request.blockHash);
  const { gas = 0n } = request.call;
  const requested = cappedGas(isDeployed || gas < toStart ? DEFAULT_GAS : gas, request.gasCap);
  const affordable = isDeployed ? requested : affordableGas(chain, request);
  const gasLimit = affordable < requested ? affordable : requested;
  if (gasLimit < toStart) {
    throw affordable < requested ? exceedsAllowance(affordable) : serverError("intrinsic gas too low");
  }
  const call: LocalCall = { ...request.call, gasLimit };
  const outcome = execute(chain, request, call);
  if (outcome === undefined) throw nativeCallFailure();
  const { exception } = outcome;
  if (outcome.reverted) throw executionFailure(outcome)!;
  if (exception !== undefined && !isDeployed) {
    throw exception.kind === "out-of-gas" ? exceedsAllowance(gasLimit) : serverError(failureReason(exception));
  }
  const estimate = estimateOf(outcome, request.gasCap);
  return toQuantity(compatibility === "development" ? withinOneTransaction(chain, request, call, estimate) : estimate);
}

/**
 * Limits an estimate to the most gas that one transaction can have, if that suffices. The formula counts all gas that a
 * created contract could have used, which may be more. Not used for `specification`, whose estimates are never below
 * the formula (`spec/09 §8.3`).
 */
function withinOneTransaction(
  chain: SimulationChain,
  request: SimulationRequest,
  call: LocalCall,
  estimate: number,
): number {
  const header = chain.headerByHash(request.blockHash);
  if (header === undefined) return estimate;
  const { network } = chain;
  const list = largestListGas(header.gasLimitValue, rulesAt(network, header.number), network);
  // The remainder of the division into lists differs from block to block.
  const least = BigInt(network.consensus.minimumSequentialGas);
  const largest = list === least + 1n ? least : list;
  if (estimate <= largest) return estimate;
  const outcome = execute(chain, request, { ...call, gasLimit: largest });
  const isEnough = outcome !== undefined && !outcome.reverted && outcome.exception === undefined;
  return isEnough ? Number(largest) : estimate;
}

/**
 * Returns the gas that the sender can pay for, by its balance with overrides; any gas if no sender is named. Throws
 * {@link RpcError} `SERVER_ERROR` if the balance is lower than the call's value.
 */
function affordableGas(chain: SimulationChain, { call, blockHash, overrides }: SimulationRequest): bigint {
  const { from, value, gasPrice, isAnonymous } = call;
  if (isAnonymous) return ANY_GAS;
  const override = overrides.findLast(({ address, balance }) => balance !== undefined && equalBytes(address, from));
  const balance = override?.balance ?? chain.stateAfter(blockHash)?.getBalance(from) ?? 0n;
  if (balance < value) throw serverError("insufficient funds for transfer");
  return gasPrice === 0n ? ANY_GAS : (balance - value) / gasPrice;
}

/** The deployed network's formula: from the counters of one execution, not the lowest sufficient gas limit. */
function estimateOf(outcome: LocalCallOutcome, cap: number): number {
  const base = outcome.movedRemainingGasToChild ? outcome.gasUsed + outcome.refund : outcome.maxGasUsed;
  const estimate = base + outcome.stipend;
  return cap > 0 ? Math.min(estimate, cap) : estimate;
}

function exceedsAllowance(gas: bigint): RpcError {
  return serverError(`gas required exceeds allowance (${gas})`);
}

/** Undefined if a native contract that is called directly cannot start. */
function execute(
  chain: SimulationChain,
  { blockHash, overrides, blockOverrides }: SimulationRequest,
  call: LocalCall,
): LocalCallOutcome | undefined {
  try {
    if (blockOverrides !== undefined) {
      const simulation = chain.openSimulation(blockHash);
      applyOverrides(simulation.state, overrides);
      return simulation.execute(call, overriddenBlock(simulation.block, blockOverrides));
    }
    return chain.call(call, blockHash, (state) => applyOverrides(state, overrides));
  } catch (error) {
    if (error instanceof EvmError) return undefined;
    throw error;
  }
}

/** Returns the gas limited to the cap; without a cap, to the largest amount that the virtual machine can count. */
export function cappedGas(gas: bigint, cap: number): bigint {
  const limit = BigInt(cap > 0 ? cap : Number.MAX_SAFE_INTEGER);
  return gas < limit ? gas : limit;
}

/** Intrinsic gas of a call; the EVM does not check it in local calls (`spec/04 §2.6`). */
function neededToStart(call: LocalCall, chain: SimulationChain, blockHash: Uint8Array): bigint {
  const { network } = chain;
  const rules = rulesAt(network, chain.headerByHash(blockHash)?.number ?? 0);
  return BigInt(intrinsicGas(buildTransaction({ ...call, nonce: 0n }), rules, network));
}
