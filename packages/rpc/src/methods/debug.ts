import { toQuantity } from "@cambium/primitives";
import { findBlock } from "../block-lookup.js";
import { type BlockSelector, blockSelector } from "../block-selector.js";
import { CALL_OBJECT } from "../calls/call-object.js";
import type { Deadline } from "../limits.js";
import { defineMethod, type MethodDefinition, optional, type RpcModules, required } from "../requests/method.js";
import { BLOCK_HASH, TRANSACTION_HASH } from "../requests/value-types.js";
import { DEFAULT_TRACE_CALL_OPTIONS, TRACE_CALL_OPTIONS } from "../tracing/trace-call-options.js";
import { DEFAULT_TRACE_OPTIONS, TRACE_OPTIONS, type TraceOptions } from "../tracing/trace-options.js";
import { arrayOf, orNull, QUANTITY, resource } from "./result-schemas.js";
import { simulation } from "./simulation.js";

const BLOCK = blockSelector({ pending: false, hash: true, map: false });
const BLOCK_OF_CALL = blockSelector({ pending: true, hash: true, map: true });
const LATEST: BlockSelector = { kind: "latest" };
const OPTIONS = optional("options", TRACE_OPTIONS, DEFAULT_TRACE_OPTIONS);
const BLOCK_TRACES = orNull(arrayOf(resource("BlockTrace")));

/** Traces of executed transactions (`spec/09 §12.1`). The result is null if the object is unknown. */
export const DEBUG_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "debug_traceTransaction",
    summary: "Re-executes a transaction of the best chain and returns its trace",
    params: [required("hash", TRANSACTION_HASH), OPTIONS],
    result: orNull(resource("DebugTrace")),
    isHeavy: true,
    handler: ({ chain, heavy }, [hash, options], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      return heavy.run("debugTransaction", { blockHash: found.block.hash, index: found.index, options }, deadline);
    },
  }),
  defineMethod({
    name: "debug_traceBlockByHash",
    summary: "Re-executes a block and returns the traces of its transactions",
    params: [required("hash", BLOCK_HASH), OPTIONS],
    result: BLOCK_TRACES,
    isHeavy: true,
    handler: (modules, [hash, options], deadline) => {
      return traceBlock(modules, modules.chain.headerByHash(hash)?.hash, options, deadline);
    },
  }),
  defineMethod({
    name: "debug_traceBlockByNumber",
    summary: "Re-executes a block of the best chain and returns the traces of its transactions",
    params: [required("block", BLOCK), OPTIONS],
    result: BLOCK_TRACES,
    isHeavy: true,
    handler: (modules, [selector, options], deadline) => {
      return traceBlock(modules, findBlock(modules.chain, selector)?.hash, options, deadline);
    },
  }),
  defineMethod({
    name: "debug_traceCall",
    summary: "Executes a call on the state of a block, like an unsigned transaction, and returns its trace",
    params: [
      required("call", CALL_OBJECT),
      optional("block", BLOCK_OF_CALL, LATEST),
      optional("options", TRACE_CALL_OPTIONS, DEFAULT_TRACE_CALL_OPTIONS),
    ],
    result: resource("DebugTrace"),
    isHeavy: true,
    handler: async (modules, [call, block, { overrides, blockOverrides, ...options }], deadline) => {
      const { callGasCap: gasCap } = modules.config;
      const request = await simulation(modules, { call, block, overrides, gasCap }, deadline);
      return modules.heavy.run("debugCall", { ...request, blockOverrides, options }, deadline);
    },
  }),
  defineMethod({
    name: "debug_wireProtocolQueueSize",
    summary: "Number of queued peer messages",
    params: [],
    result: QUANTITY,
    handler: ({ waitingPeerMessages = () => 0 }) => toQuantity(waitingPeerMessages()),
  }),
];

function traceBlock(
  { heavy }: RpcModules,
  blockHash: Uint8Array | undefined,
  options: TraceOptions,
  deadline: Deadline,
): Promise<unknown> | null {
  if (blockHash === undefined) return null;
  return heavy.run("debugBlock", { blockHash, index: undefined, options }, deadline);
}
