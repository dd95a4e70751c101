import { BLOCK_OVERRIDES, type BlockOverrides } from "../calls/block-overrides.js";
import { CALL_OBJECT, type CallObject } from "../calls/call-object.js";
import { type AccountOverride, STATE_OVERRIDES } from "../calls/state-overrides.js";
import { invalidParams, RpcError } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { BOOLEAN, NUMBER, objectOf } from "../params/value-types.js";

/** A call of a simulated block. */
export interface SimulatedCall extends CallObject {
  /** Undefined: the sender's next one. */
  nonce: bigint | undefined;
}

/** A block to simulate: its overrides and its calls. */
export interface SimulatedBlock {
  blockOverrides: BlockOverrides;
  overrides: readonly AccountOverride[];
  calls: readonly SimulatedCall[];
}

/** First parameter of `eth_simulateV1` (go-ethereum, execution-apis). */
export interface SimulationPayload {
  blocks: readonly SimulatedBlock[];
  traceTransfers: boolean;
  validation: boolean;
  returnFullTransactions: boolean;
}

/** Blocks of one simulation, gaps between their numbers included. */
export const MAX_SIMULATED_BLOCKS = 256;
/** Calls of one simulation. */
const MAX_CALLS = 1_000;

export const SIMULATION_PAYLOAD: ParamType<SimulationPayload> = {
  name: "SIMULATION",
  errors: ["CLIENT_LIMIT"],
  schema: { $ref: "#/components/schemas/Simulation" },
  parse(value) {
    const { blockStateCalls, ...members } = objectOf(value);
    if (!Array.isArray(blockStateCalls) || blockStateCalls.length === 0) throw invalidParams("empty input");
    if (blockStateCalls.length > MAX_SIMULATED_BLOCKS) throw tooMany("blocks", MAX_SIMULATED_BLOCKS);
    const blocks = blockStateCalls.map((block) => listOf(objectOf(block).calls));
    if (blocks.reduce((sum, calls) => sum + calls.length, 0) > MAX_CALLS) throw tooMany("calls", MAX_CALLS);
    const flag = (name: string) => BOOLEAN.parse(members[name] ?? false);
    return {
      blocks: blockStateCalls.map(parseBlock),
      traceTransfers: flag("traceTransfers"),
      validation: flag("validation"),
      returnFullTransactions: flag("returnFullTransactions"),
    };
  },
};

/** The error for a simulation that is larger than this node executes. */
export function tooMany(what: string, limit: number): RpcError {
  return new RpcError({ code: "CLIENT_LIMIT", text: `too many ${what}: at most ${limit} are allowed` });
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidParams("Invalid input");
  return value;
}

function parseBlock(value: unknown): SimulatedBlock {
  const { blockOverrides, stateOverrides, calls } = objectOf(value);
  return {
    blockOverrides: BLOCK_OVERRIDES.parse(blockOverrides ?? {}),
    overrides: STATE_OVERRIDES.parse(stateOverrides ?? {}),
    calls: listOf(calls).map(parseCall),
  };
}

function parseCall(value: unknown): SimulatedCall {
  const { nonce, maxFeePerGas, gasPrice } = objectOf(value);
  const call = CALL_OBJECT.parse(value);
  return {
    ...call,
    // There is no base fee: the highest fee is the gas price.
    gasPrice: isGiven(gasPrice) || !isGiven(maxFeePerGas) ? call.gasPrice : NUMBER.parse(maxFeePerGas),
    nonce: isGiven(nonce) ? NUMBER.parse(nonce) : undefined,
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
