import type { ChainReader } from "@cambium/chain";
import { type NetworkConfig, rulesAt } from "@cambium/config";
import { EvmError, intrinsicGas, type LocalCall, type LocalCallOutcome } from "@cambium/evm";
import { EMPTY_BYTES, toData } from "@cambium/primitives";
import { buildTransaction } from "@cambium/types";
import { requireHeader, requireState } from "../block-lookup.js";
import { type BlockSelector, blockSelector } from "../block-selector.js";
import { CALL_OBJECT, type CallObject } from "../call-object.js";
import { invalidParams, serverError } from "../errors.js";
import { defineMethod, type MethodDefinition, optional, type RpcModules, required } from "../method.js";
import type { ParamType } from "../param-type.js";
import { executionFailure, nativeCallFailure } from "../simulation-failure.js";
import { objectOf } from "../value-types.js";
import { BYTES } from "./result-schemas.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: true, hash: true, map: true });

/** Gas of a call that names none, before the cap: `spec/09 §8.1`. */
const DEFAULT_GAS = 0x5af3107a4000n;

/** Execution over a changed state is not offered, so only the empty set is accepted (`spec/09 §8.2`, 2). */
const NO_OVERRIDES: ParamType<undefined> = {
  name: "STATE_OVERRIDES",
  schema: { type: "object", maxProperties: 0 },
  parse(value) {
    if (Object.keys(objectOf(value)).length > 0) throw invalidParams("State override is not allowed");
  },
};

/** Execution that leaves no trace: `spec/09 §8.2`. */
export const SIMULATION_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_call",
    summary: "Executes a call on the state of a block and returns its output",
    params: [
      required("call", CALL_OBJECT),
      optional("block", BLOCK, LATEST),
      optional("stateOverrides", NO_OVERRIDES, undefined),
    ],
    result: BYTES,
    handler: (modules, [call, block]) => executeCall(modules, call, block),
  }),
];

function executeCall(modules: RpcModules, call: CallObject, block: BlockSelector): string {
  const { chain, config } = modules;
  const header = requireHeader(chain, block);
  const request = { ...call, gasLimit: cappedGas(call.gas ?? DEFAULT_GAS, config.callGasCap) };
  if (request.gasLimit < neededToStart(request, header.number, chain.network))
    throw serverError("intrinsic gas too low");
  if (requireState(chain, block).getBalance(call.from) < call.value) {
    throw serverError("insufficient funds for transfer");
  }
  const outcome = execute(chain, request, header.hash);
  const failure = executionFailure(outcome);
  if (failure !== undefined) throw failure;
  return toData(outcome.output ?? EMPTY_BYTES);
}

function execute(chain: ChainReader, call: LocalCall, blockHash: Uint8Array): LocalCallOutcome {
  try {
    return chain.call(call, blockHash);
  } catch (error) {
    throw error instanceof EvmError ? nativeCallFailure() : error;
  }
}

/** Without a cap, still no more than the machine can count. */
function cappedGas(gas: bigint, cap: number): bigint {
  const limit = BigInt(cap > 0 ? cap : Number.MAX_SAFE_INTEGER);
  return gas < limit ? gas : limit;
}

/** What the call costs before anything runs; a simulation itself does not check it (`spec/04 §2.6`). */
function neededToStart(call: LocalCall, blockNumber: number, network: NetworkConfig): bigint {
  return BigInt(intrinsicGas(buildTransaction({ ...call, nonce: 0n }), rulesAt(network, blockNumber), network));
}
