import type { Chain } from "@cambium/chain";
import { fromHex } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Block } from "@cambium/types";

/** Any JSON value. */
export type Json = ReturnType<typeof JSON.parse>;

/** A response of the reference for a scenario's chain (`test/vectors/scenarios/README.md`). */
export interface RpcEntry {
  /** Number of steps before it. */
  afterStep: number;
  method: string;
  params: Json[];
  response: RpcAnswer;
  gasEstimationCap?: number;
  callGasCap?: number;
}

export type RpcAnswer = { result: Json } | { error: { code: number; message: string; data?: string } };

/** Context of a decision besides the recorded response. */
export interface DecisionContext {
  entry: RpcEntry;
  chain: Chain;
  pool: TransactionPool;
  /** Another response recorded after the same step, by method and parameters. */
  recorded(method: string, params: Json[]): Json;
  /** This node's response: the only source of members that the reference omits. */
  own: Json;
}

/**
 * A documented difference from the reference (`spec/09`, "Decision"): converts a recorded result to the result of this
 * node. `recorded` and `own` are the corresponding parts of the two responses.
 */
export type Decision = (recorded: Json, own: Json, context: DecisionContext) => Json;

/** Applies all decisions one after the other. */
export function allOf(...decisions: readonly Decision[]): Decision {
  return (recorded, own, context) => decisions.reduce((so, decision) => decision(so, own, context), recorded);
}

/** Applies a decision to every element of a list; other values are unchanged. */
export function each(decision: Decision): Decision {
  return (recorded, own, context) =>
    Array.isArray(recorded) ? recorded.map((item, i) => decision(item, own?.[i], context)) : recorded;
}

/** The block that the first parameter of a request refers to. */
export function requestedBlock({ entry, chain }: DecisionContext): Block | undefined {
  const [selector] = entry.params;
  if (selector === "latest") return chain.blockByHash(chain.best().hash);
  if (selector === "earliest") return chain.blockByNumber(0);
  return selector.length === 66 ? chain.blockByHash(fromHex(selector.slice(2))) : chain.blockByNumber(Number(selector));
}
