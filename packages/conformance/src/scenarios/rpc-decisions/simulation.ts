import { toQuantity } from "@cambium/primitives";
import { withRevertWords } from "../../rpc/additions.js";
import type { DecisionContext, RpcAnswer } from "./decision.js";

// Decisions of spec/09 §8. A rule returns the whole response, or undefined if it does not apply.

type SimulationRule = (recorded: RpcAnswer, own: RpcAnswer, context: DecisionContext) => RpcAnswer | undefined;

const SERVER_ERROR = -32000;
const INTERNAL = -32603;

/** Client libraries recognise a revert by the words at the end of its message. */
const revertsAreNamed: SimulationRule = (recorded) => {
  return "error" in recorded && recorded.error.data !== undefined
    ? { error: withRevertWords(recorded.error) }
    : undefined;
};

/** Insufficient intrinsic gas is a client error, not an internal one. */
const intrinsicGasIsNamed: SimulationRule = (recorded) => {
  const applies = "error" in recorded && recorded.error.code === INTERNAL;
  return applies ? { error: { code: SERVER_ERROR, message: "intrinsic gas too low" } } : undefined;
};

/** A failed call is an error; the reference returns `0x`. */
const failedCallsAreErrors: SimulationRule = (recorded, own, { entry }) => {
  if (entry.method !== "eth_call" || !("result" in recorded) || recorded.result !== "0x") return undefined;
  return "error" in own && own.error.data === undefined ? own : undefined;
};

/** A value above the sender's balance is rejected. */
const valueNeedsBalance: SimulationRule = (recorded, own) => {
  if (!("result" in recorded) || !("error" in own)) return undefined;
  return own.error.message === "insufficient funds for transfer" ? own : undefined;
};

/** A failed estimate is an error; the reference returns the gas used by the failed execution. */
const failedEstimatesAreErrors: SimulationRule = (recorded, own, { entry }) => {
  if (entry.method !== "eth_estimateGas" || !("result" in recorded) || !("error" in own)) return undefined;
  return own.error.code === SERVER_ERROR ? own : undefined;
};

/** An estimate is limited to the block gas limit. */
const estimatesFitIntoABlock: SimulationRule = (recorded, _own, { entry, chain }) => {
  if (entry.method !== "eth_estimateGas" || !("result" in recorded)) return undefined;
  const limit = chain.best().header.gasLimitValue;
  return BigInt(recorded.result) > limit ? { result: toQuantity(limit) } : undefined;
};

const RULES: readonly SimulationRule[] = [
  revertsAreNamed,
  intrinsicGasIsNamed,
  failedCallsAreErrors,
  valueNeedsBalance,
  failedEstimatesAreErrors,
  estimatesFitIntoABlock,
];

/** The first rule that applies. */
export function simulated(recorded: RpcAnswer, own: RpcAnswer, context: DecisionContext): RpcAnswer {
  for (const rule of RULES) {
    const answer = rule(recorded, own, context);
    if (answer !== undefined) return answer;
  }
  return recorded;
}
