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

const TOO_LITTLE_TO_START = { error: { code: SERVER_ERROR, message: "intrinsic gas too low" } };

/** Insufficient intrinsic gas is a client error; in the reference an internal one, or a failed execution of code. */
const intrinsicGasIsNamed: SimulationRule = (recorded, own, { entry }) => {
  if ("error" in recorded) {
    if (recorded.error.code !== INTERNAL) return undefined;
    // Estimates do without the gas that the caller names, as the reference's do since release 9.0.4.
    return entry.method === "eth_estimateGas" && "result" in own ? own : TOO_LITTLE_TO_START;
  }
  const isNamed = "error" in own && own.error.message === TOO_LITTLE_TO_START.error.message;
  return isNamed && ["0x", "0x0"].includes(recorded.result) ? TOO_LITTLE_TO_START : undefined;
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

/** Rules for a node that serves the API document. */
const RULES: readonly SimulationRule[] = [
  revertsAreNamed,
  intrinsicGasIsNamed,
  failedCallsAreErrors,
  valueNeedsBalance,
  failedEstimatesAreErrors,
];
/** Rules for a node with `--rpc.compatibility deployed`. */
const DEPLOYED_RULES: readonly SimulationRule[] = [revertsAreNamed, intrinsicGasIsNamed];

export function isSimulation(method: string): boolean {
  return method === "eth_call" || method === "eth_estimateGas";
}

export function simulated(recorded: RpcAnswer, own: RpcAnswer, context: DecisionContext): RpcAnswer {
  return firstOf(RULES, recorded, own, context);
}

/** Converts only the words of some errors, so that this comparison shows the cases that {@link simulated} accepts. */
export function simulatedAsDeployed(recorded: RpcAnswer, own: RpcAnswer, context: DecisionContext): RpcAnswer {
  return firstOf(DEPLOYED_RULES, recorded, own, context);
}

/** The first rule that applies. */
function firstOf(
  rules: readonly SimulationRule[],
  recorded: RpcAnswer,
  own: RpcAnswer,
  context: DecisionContext,
): RpcAnswer {
  for (const rule of rules) {
    const answer = rule(recorded, own, context);
    if (answer !== undefined) return answer;
  }
  return recorded;
}
