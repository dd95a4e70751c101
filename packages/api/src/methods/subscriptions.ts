import { defineConnectionMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { BYTES, TRUTH } from "../schemas/values.js";
import { makeTopic, SUBSCRIPTION_ID, SUBSCRIPTION_OPTIONS, SUBSCRIPTION_TYPE } from "../subscriptions/topic.js";

/** Subscriptions over WebSocket (`spec/09 §10`). */
export const SUBSCRIPTION_METHODS: readonly MethodDefinition[] = [
  defineConnectionMethod({
    name: "eth_subscribe",
    summary:
      "Subscribes to new headers, logs, pending transactions, the synchronisation status or work for merged miners",
    params: [required("type", SUBSCRIPTION_TYPE), optional("options", SUBSCRIPTION_OPTIONS, {})],
    result: BYTES,
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: (_parts, [type, options], connection) => connection.subscribe(makeTopic(type, options)),
  }),
  defineConnectionMethod({
    name: "eth_unsubscribe",
    summary: "Cancels a subscription of the same connection",
    params: [required("subscription", SUBSCRIPTION_ID)],
    result: TRUTH,
    example: "written",
    handler: (_parts, [id], connection) => connection.unsubscribe(id),
  }),
];
