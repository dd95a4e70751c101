import { toData } from "@cambium/primitives";
import { echo, invalidParams } from "../errors.js";
import { LOG_MATCH, type LogMatch } from "../log-filter.js";
import type { ParamType } from "../param-type.js";
import { DATA, objectOf } from "../value-types.js";

/** What can be subscribed to (00, Subscription types). */
export type Topic = { kind: "newHeads" | "newPendingTransactions" | "syncing" } | { kind: "logs"; match: LogMatch };

/** A caller that can be sent notifications. */
export interface SubscriberConnection {
  /** Id of the subscription. Throws {@link RpcError} `SERVER_ERROR` when the connection has too many. */
  subscribe(topic: Topic): string;
  /** Whether this connection had a subscription with this id. */
  unsubscribe(id: string): boolean;
}

const KINDS = ["newHeads", "logs", "newPendingTransactions", "syncing"] as const;

export const SUBSCRIPTION_TYPE: ParamType<Topic["kind"]> = {
  name: "SUBSCRIPTION_TYPE",
  schema: { type: "string", enum: KINDS },
  parse(value) {
    const kind = KINDS.find((one) => one === value);
    if (kind === undefined) throw invalidParams(`unsupported subscription type "${echo(value)}"`);
    return kind;
  },
};

/** Options as they came: what they mean depends on the type. */
export const SUBSCRIPTION_OPTIONS: ParamType<Readonly<Record<string, unknown>>> = {
  name: "SUBSCRIPTION_OPTIONS",
  schema: { $ref: "#/components/schemas/LogSubscriptionOptions" },
  parse: objectOf,
};

/** Ids as `eth_subscribe` gives them, in lower case with every digit. */
export const SUBSCRIPTION_ID: ParamType<string> = {
  name: "SUBSCRIPTION_ID",
  schema: { type: "string", pattern: "^0x[0-9a-f]{32}$" },
  parse: (value) => toData(DATA.parse(value)),
};

/** Only `logs` reads its options (`spec/09 §10`). Throws {@link RpcError} `INVALID_PARAMS`. */
export function makeTopic(kind: Topic["kind"], options: Readonly<Record<string, unknown>>): Topic {
  return kind === "logs" ? { kind, match: LOG_MATCH.parse(options) } : { kind };
}
