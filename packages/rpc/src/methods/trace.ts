import { findBlock } from "../block-lookup.js";
import { blockSelector } from "../block-selector.js";
import { pendingRead } from "../calls/pending-reads.js";
import { JsonText } from "../requests/json-text.js";
import { defineMethod, type MethodDefinition, required } from "../requests/method.js";
import { TRANSACTION_HASH } from "../requests/value-types.js";
import { TRACE_FILTER, TRACE_POSITIONS, traceRange } from "../trace-filter.js";
import { arrayOf, orNull, resource } from "./result-schemas.js";

const BLOCK = blockSelector({ pending: true, hash: true, map: false });
const TRACES = orNull(arrayOf(resource("Trace")));

/** Traces as one flat list (`spec/09 §12.2`). The result is null if the object is unknown. */
export const TRACE_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "trace_transaction",
    summary: "Traces of a transaction of the best chain",
    params: [required("hash", TRANSACTION_HASH)],
    result: TRACES,
    isHeavy: true,
    handler: ({ chain, heavy }, [hash], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      return heavy.run("traces", { blockHash: found.block.hash, index: found.index }, deadline);
    },
  }),
  defineMethod({
    name: "trace_block",
    summary: "Traces of all transactions of a block, or of the pending block",
    params: [required("block", BLOCK)],
    result: TRACES,
    isHeavy: true,
    handler: async ({ chain, heavy, pendingBlock }, [selector], deadline) => {
      if (selector.kind === "pending" && pendingBlock !== undefined) {
        const { block } = await pendingRead(pendingBlock(), deadline);
        return heavy.run("traces", { blockHash: block.hash, candidate: block.encode() }, deadline);
      }
      const block = findBlock(chain, selector);
      return block === undefined ? null : heavy.run("traces", { blockHash: block.hash }, deadline);
    },
  }),
  defineMethod({
    name: "trace_filter",
    summary: "Traces of the transactions in a block range that match a filter",
    params: [required("filter", TRACE_FILTER)],
    result: arrayOf(resource("Trace")),
    isHeavy: true,
    handler: ({ chain, config, heavy }, [filter], deadline) => {
      const request = traceRange(chain, filter, config.trace.maxTraces);
      return request === undefined ? [] : heavy.run("traceFilter", request, deadline);
    },
  }),
  defineMethod({
    name: "trace_get",
    summary: "A trace of a transaction by its position",
    params: [required("hash", TRANSACTION_HASH), required("positions", TRACE_POSITIONS)],
    result: orNull(resource("Trace")),
    isHeavy: true,
    handler: async ({ chain, heavy }, [hash, position], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      const request = { blockHash: found.block.hash, index: found.index };
      const traces = await heavy.run("traces", request, deadline);
      return ((traces instanceof JsonText ? traces.toJSON() : traces) as unknown[])[position] ?? null;
    },
  }),
];
