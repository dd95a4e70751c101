import { NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import { MAX_BUNDLED_CALLS, requireCount } from "../calls/bundles.js";
import { CALL_OBJECT, type CallObject } from "../calls/call-object.js";
import { pendingRead } from "../calls/pending-reads.js";
import { callOfTransaction } from "../calls/transaction-call.js";
import { EXECUTION_ERRORS, REPLAY_ERRORS } from "../definition/error-groups.js";
import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import { findBlock } from "../lookups/block-lookup.js";
import { JsonText } from "../objects/json-text.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import type { ParamType } from "../params/param-type.js";
import { DATA, TRANSACTION_HASH } from "../params/value-types.js";
import { arrayOf, orNull, resource } from "../schemas/values.js";
import { decodeTransaction } from "../sending/transaction-sending.js";
import { TRACE_FILTER, TRACE_POSITIONS, traceRange } from "../tracing/trace-filter.js";
import { TRACE_TYPES, type TraceTypes } from "../tracing/trace-types.js";
import { bundlesRequest, simulation } from "./simulation.js";

const BLOCK = blockSelector({ pending: true, hash: true, map: false });
const MINED_BLOCK = blockSelector({ pending: false, hash: true, map: true });
const BLOCK_OF_CALL = blockSelector({ pending: true, hash: true, map: true });
const LATEST: BlockSelector = { kind: "latest" };
const TRACES = orNull(arrayOf(resource("Trace")));

/** Parameter with calls, each with the kinds of its traces. */
const TRACED_CALLS: ParamType<readonly { call: CallObject; types: TraceTypes }[]> = {
  name: "TRACED_CALLS",
  errors: ["CLIENT_LIMIT"],
  schema: {
    type: "array",
    items: { type: "array", prefixItems: [CALL_OBJECT.schema, TRACE_TYPES.schema], minItems: 2, maxItems: 2 },
    maxItems: MAX_BUNDLED_CALLS,
  },
  parse(value) {
    if (!Array.isArray(value)) throw invalidParams("Invalid input");
    requireCount(value.length);
    return value.map((pair: unknown) => {
      if (!Array.isArray(pair) || pair.length !== 2) throw invalidParams("Invalid input: expected [call, types]");
      return { call: CALL_OBJECT.parse(pair[0]), types: TRACE_TYPES.parse(pair[1]) };
    });
  },
};

/** Traces as one flat list (`spec/09 §12.2`). The result is null if the object is unknown. */
export const TRACE_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "trace_transaction",
    summary: "Traces of a transaction of the best chain",
    params: [required("hash", TRANSACTION_HASH)],
    result: TRACES,
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ chain, heavy }, [hash], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      return heavy.run("traces", { blockHash: found.header.hash, index: found.index }, deadline);
    },
  }),
  defineMethod({
    name: "trace_block",
    summary: "Traces of all transactions of a block, or of the pending block",
    params: [required("block", BLOCK)],
    result: TRACES,
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
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
    summary: "Traces in a block range that match a filter; addresses are those of each call",
    params: [required("filter", TRACE_FILTER)],
    result: arrayOf(resource("Trace")),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ chain, config, heavy }, [filter], deadline) => {
      const request = traceRange(chain, filter, config.trace.maxTraces);
      return request === undefined ? [] : heavy.run("traceFilter", request, deadline);
    },
  }),
  defineMethod({
    name: "trace_call",
    summary:
      "Executes a call on the state of a block, like an unsigned transaction, and returns its traces or state changes",
    params: [required("call", CALL_OBJECT), required("types", TRACE_TYPES), optional("block", BLOCK_OF_CALL, LATEST)],
    result: resource("TraceResults"),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "trace",
    handler: async (parts, [call, types, block], deadline) => {
      const { callGasCap: gasCap } = parts.config;
      const request = await simulation(parts, { call, block, overrides: [], gasCap }, deadline);
      const traced = { ...request, blockOverrides: NO_BLOCK_OVERRIDES, types };
      return parts.heavy.run("callTraces", traced, deadline);
    },
  }),
  defineMethod({
    name: "trace_callMany",
    summary:
      "Executes calls, each on the state that those before it left, like unsigned transactions, and returns their traces or state changes",
    params: [required("calls", TRACED_CALLS), optional("block", BLOCK_OF_CALL, LATEST)],
    result: arrayOf(resource("TraceResults")),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "trace",
    handler: async (parts, [traced, block], deadline) => {
      const bundles = [{ calls: traced.map(({ call }) => call), blockOverrides: NO_BLOCK_OVERRIDES }];
      const context = { block, transactionIndex: undefined };
      const request = await bundlesRequest(parts, { bundles, context, overrides: [] }, deadline);
      return parts.heavy.run("manyCallTraces", { ...request, types: traced.map(({ types }) => types) }, deadline);
    },
  }),
  defineMethod({
    name: "trace_rawTransaction",
    summary: "Executes a signed transaction on the state of the best block and returns its traces or state changes",
    params: [required("transaction", DATA), required("types", TRACE_TYPES)],
    result: resource("TraceResults"),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "trace",
    handler: async (parts, [data, types], deadline) => {
      const { callGasCap: gasCap } = parts.config;
      const call = callOfTransaction(decodeTransaction(data));
      const request = await simulation(parts, { call, block: LATEST, overrides: [], gasCap }, deadline);
      return parts.heavy.run("callTraces", { ...request, blockOverrides: NO_BLOCK_OVERRIDES, types }, deadline);
    },
  }),
  defineMethod({
    name: "trace_replayTransaction",
    summary: "Re-executes a transaction of the best chain and returns its traces or state changes",
    params: [required("hash", TRANSACTION_HASH), required("types", TRACE_TYPES)],
    result: orNull(resource("TraceResults")),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ chain, heavy }, [hash, types], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      const request = { blockHash: found.header.hash, index: found.index, types };
      return heavy.run("replayTransaction", request, deadline);
    },
  }),
  defineMethod({
    name: "trace_replayBlockTransactions",
    summary: "Re-executes a block and returns the traces or state changes of its transactions",
    params: [required("block", MINED_BLOCK), required("types", TRACE_TYPES)],
    result: orNull(arrayOf(resource("TraceResults"))),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ chain, heavy }, [selector, types], deadline) => {
      const block = findBlock(chain, selector);
      return block === undefined ? null : heavy.run("replayBlock", { blockHash: block.hash, types }, deadline);
    },
  }),
  defineMethod({
    name: "trace_get",
    summary: "A trace of a transaction by its position",
    params: [required("hash", TRANSACTION_HASH), required("positions", TRACE_POSITIONS)],
    result: orNull(resource("Trace")),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: async ({ chain, heavy }, [hash, position], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      const request = { blockHash: found.header.hash, index: found.index };
      const traces = await heavy.run("traces", request, deadline);
      return ((traces instanceof JsonText ? traces.toJSON() : traces) as unknown[])[position] ?? null;
    },
  }),
];
