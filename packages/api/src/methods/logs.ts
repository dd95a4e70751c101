import { defineMethod, type MethodDefinition, required } from "../definition/method.js";
import { LOG_FILTER } from "../logs/log-filter.js";
import { arrayOf, resource } from "../schemas/values.js";
import { queryLogs } from "./log-query.js";

/** Log queries (`spec/09 §9`). */
export const LOG_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_getLogs",
    summary: "Logs of a block, or of a block range of the best chain",
    params: [required("filter", LOG_FILTER)],
    result: arrayOf(resource("Log")),
    reads: "chain",
    errors: ["LOG_LIMIT", "STATE_NOT_FOUND", "SERVER_ERROR"],
    cost: "logs",
    handler: (parts, [filter], deadline) => queryLogs(parts, filter, deadline),
  }),
];
