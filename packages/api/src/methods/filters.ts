import type { ChainReader } from "@cambium/chain";
import { fromHex } from "@cambium/primitives";
import type { PoolReader } from "@cambium/txpool";
import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import { FILTER_ID } from "../filters/filter-id.js";
import { LOG_FILTER } from "../logs/log-filter.js";
import { allowedRange } from "../logs/log-search.js";
import { pendingTransactionObject, type TransactionObject } from "../objects/transaction.js";
import { BOOLEAN } from "../params/value-types.js";
import { arrayOf, BYTES_32, QUANTITY, resource, TRUTH } from "../schemas/values.js";
import { queryLogs } from "./log-query.js";

/** Returns a transaction as it was when it became pending; nothing if it has left the pool without entering a block. */
function submitted(chain: ChainReader, pool: PoolReader, hash: Uint8Array): TransactionObject[] {
  const transaction = pool.get(hash)?.transaction ?? chain.findTransaction(hash)?.transaction;
  return transaction === undefined ? [] : [pendingTransactionObject(transaction)];
}

/** Methods for polling filters (`spec/09 §9.5`, `§9.6`). */
export const FILTER_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_newFilter",
    summary: "Installs a filter for the logs of new blocks",
    params: [required("filter", LOG_FILTER)],
    result: QUANTITY,
    errors: ["LOG_LIMIT", "STATE_NOT_FOUND", "SERVER_ERROR"],
    example: "written",
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
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: ({ filters }, _params, { client }) => filters.addBlockFilter(client),
  }),
  defineMethod({
    name: "eth_newPendingTransactionFilter",
    summary: "Installs a filter for the hashes of new pending transactions, or for whole transactions",
    params: [optional("whole", BOOLEAN, false)],
    result: QUANTITY,
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: ({ filters }, [isWhole], { client }) => filters.addPendingFilter(client, isWhole),
  }),
  defineMethod({
    name: "eth_getFilterChanges",
    summary: "Changes since the last call for the same filter, or since its installation",
    params: [required("filter", FILTER_ID)],
    result: { anyOf: [arrayOf(BYTES_32), arrayOf(resource("Log")), arrayOf(resource("Transaction"))] },
    errors: ["SERVER_ERROR"],
    example: "written",
    handler: async ({ filters, pool, chain }, [id]) => {
      const changes = await filters.changes(id);
      return filters.isWhole(id)
        ? changes.flatMap((hash) => submitted(chain, pool, fromHex(String(hash).slice(2))))
        : changes;
    },
  }),
  defineMethod({
    name: "eth_getFilterLogs",
    summary: "All logs that match a log filter",
    params: [required("filter", FILTER_ID)],
    result: arrayOf(resource("Log")),
    errors: ["LOG_LIMIT", "STATE_NOT_FOUND", "SERVER_ERROR"],
    cost: "logs",
    example: "written",
    handler: (parts, [id], deadline) => queryLogs(parts, parts.filters.queryOf(id), deadline),
  }),
  defineMethod({
    name: "eth_uninstallFilter",
    summary: "Removes a filter; returns whether it existed",
    params: [required("filter", FILTER_ID)],
    result: TRUTH,
    handler: ({ filters }, [id]) => filters.uninstall(id),
  }),
];
