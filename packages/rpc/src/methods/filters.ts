import { invalidParams } from "../errors.js";
import { FILTER_ID } from "../filters/filter-id.js";
import { LOG_FILTER } from "../logs/log-filter.js";
import { queryLogs } from "../logs/log-query.js";
import { allowedRange } from "../logs/log-search.js";
import { defineMethod, type MethodDefinition, required } from "../requests/method.js";
import { arrayOf, BYTES_32, QUANTITY, resource, TRUTH } from "./result-schemas.js";

/** Methods for polling filters (00, Logs and filters; `spec/09 §9.5`, `§9.6`). */
export const FILTER_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_newFilter",
    summary: "Installs a filter for the logs of new blocks",
    params: [required("filter", LOG_FILTER)],
    result: QUANTITY,
    handler: ({ chain, config, filters }, [filter], { client }) => {
      if (filter.blocks.kind === "block") throw invalidParams("Cannot specify blockHash for a filter");
      allowedRange(chain, config, filter.blocks);
      return filters.addLogFilter(filter, client);
    },
  }),
  defineMethod({
    name: "eth_newBlockFilter",
    summary: "Installs a filter for the hashes of blocks added to the best chain",
    params: [],
    result: QUANTITY,
    handler: ({ filters }, _params, { client }) => filters.addBlockFilter(client),
  }),
  defineMethod({
    name: "eth_newPendingTransactionFilter",
    summary: "Installs a filter for the hashes of new pending transactions",
    params: [],
    result: QUANTITY,
    handler: ({ filters }, _params, { client }) => filters.addPendingFilter(client),
  }),
  defineMethod({
    name: "eth_getFilterChanges",
    summary: "Changes since the last call for the same filter, or since its installation",
    params: [required("filter", FILTER_ID)],
    result: { anyOf: [arrayOf(BYTES_32), arrayOf(resource("Log"))] },
    handler: ({ filters }, [id]) => filters.changes(id),
  }),
  defineMethod({
    name: "eth_getFilterLogs",
    summary: "All logs that match a log filter",
    params: [required("filter", FILTER_ID)],
    result: arrayOf(resource("Log")),
    handler: (modules, [id], deadline) => queryLogs(modules, modules.filters.queryOf(id), deadline),
  }),
  defineMethod({
    name: "eth_uninstallFilter",
    summary: "Removes a filter; returns whether it existed",
    params: [required("filter", FILTER_ID)],
    result: TRUTH,
    handler: ({ filters }, [id]) => filters.uninstall(id),
  }),
];
