import type { Chain } from "@cambium/chain";
import { fromHex } from "@cambium/primitives";
import type { TransactionPool } from "@cambium/txpool";
import type { Block } from "@cambium/types";

/** Whatever a JSON text holds. */
export type Json = ReturnType<typeof JSON.parse>;

/** An answer of the reference over a scenario's chain (`test/vectors/scenarios/README.md`). */
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

/** What a rule may look at besides the recorded answer. */
export interface DecisionContext {
  entry: RpcEntry;
  chain: Chain;
  pool: TransactionPool;
  /** What else was recorded after the same step, by method and parameters. */
  recorded(method: string, params: Json[]): Json;
  /** The node's own answer: what the reference leaves out altogether can only be taken from there. */
  own: Json;
}

/**
 * One place where the product answers otherwise than the reference (`spec/09`, "Decision"): the recorded result as the
 * product gives it. The recorded and the own part that the rule is about stand at the same place of the two answers.
 */
export type Decision = (recorded: Json, own: Json, context: DecisionContext) => Json;

/** All rules one after the other. */
export function allOf(...decisions: readonly Decision[]): Decision {
  return (recorded, own, context) => decisions.reduce((so, decision) => decision(so, own, context), recorded);
}

/** The rule for every element of a list; other values stay as they are. */
export function each(decision: Decision): Decision {
  return (recorded, own, context) =>
    Array.isArray(recorded) ? recorded.map((item, i) => decision(item, own?.[i], context)) : recorded;
}

/** The block that the first parameter of a request names. */
export function requestedBlock({ entry, chain }: DecisionContext): Block | undefined {
  const [selector] = entry.params;
  if (selector === "latest") return chain.blockByHash(chain.best().hash);
  if (selector === "earliest") return chain.blockByNumber(0);
  return selector.length === 66 ? chain.blockByHash(fromHex(selector.slice(2))) : chain.blockByNumber(Number(selector));
}
