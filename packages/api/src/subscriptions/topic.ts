import { toData } from "@cambium/primitives";
import { echo, invalidParams } from "../errors.js";
import { LOG_MATCH, type LogMatch } from "../logs/log-filter.js";
import type { ParamType } from "../params/param-type.js";
import { DATA, objectOf } from "../params/value-types.js";

/** A subject of subscriptions (`spec/09 §10.1`). */
export type Topic =
  | { kind: "newHeads" | "syncing" | "work" }
  /** Whole transactions, or their hashes. */
  | { kind: "newPendingTransactions"; whole: boolean }
  | { kind: "logs"; match: LogMatch };

/** A connection that can receive notifications. */
export interface SubscriberConnection {
  /**
   * Subscribes and returns the id. Throws {@link RpcError} `SERVER_ERROR` if the connection has too many subscriptions.
   */
  subscribe(topic: Topic): string;
  /** Cancels a subscription; returns whether this connection had it. */
  unsubscribe(id: string): boolean;
}

const KINDS = ["newHeads", "logs", "newPendingTransactions", "syncing", "work"] as const;

export const SUBSCRIPTION_TYPE: ParamType<Topic["kind"]> = {
  name: "SUBSCRIPTION_TYPE",
  schema: { type: "string", enum: KINDS },
  parse(value) {
    const kind = KINDS.find((one) => one === value);
    if (kind === undefined) throw invalidParams(`unsupported subscription type "${echo(value)}"`);
    return kind;
  },
};

type SubscriptionOptions = Readonly<Record<string, unknown>> | boolean;

/** Unparsed options: their meaning depends on the subscription type. */
export const SUBSCRIPTION_OPTIONS: ParamType<SubscriptionOptions> = {
  name: "SUBSCRIPTION_OPTIONS",
  schema: { anyOf: [{ $ref: "#/components/schemas/LogSubscriptionOptions" }, { type: "boolean" }] },
  parse: (value) => (typeof value === "boolean" ? value : objectOf(value)),
};

/** An id as `eth_subscribe` returns it: all digits, in lower case. */
export const SUBSCRIPTION_ID: ParamType<string> = {
  name: "SUBSCRIPTION_ID",
  schema: { type: "string", pattern: "^0x[0-9a-f]{32}$" },
  parse: (value) => toData(DATA.parse(value)),
};

/**
 * Builds a topic; `logs` reads the options (`spec/09 §10`), and `newPendingTransactions` takes `true` for whole
 * transactions, as go-ethereum does. Throws {@link RpcError} `INVALID_PARAMS` if they are malformed.
 */
export function makeTopic(kind: Topic["kind"], options: SubscriptionOptions): Topic {
  if (kind === "newPendingTransactions") return { kind, whole: options === true };
  return kind === "logs" ? { kind, match: LOG_MATCH.parse(options) } : { kind };
}
