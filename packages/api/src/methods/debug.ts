import { toQuantity } from "@cambium/primitives";
import type { BlockOverrides } from "../calls/block-overrides.js";
import { BUNDLES, type Bundle, LATEST_STATE, STATE_CONTEXT } from "../calls/bundles.js";
import { CALL_OBJECT } from "../calls/call-object.js";
import { EXECUTION_ERRORS, REPLAY_ERRORS } from "../definition/error-groups.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { invalidParams } from "../errors.js";
import type { Deadline } from "../limits/deadline.js";
import { findBlock } from "../lookups/block-lookup.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import { BLOCK_HASH, DATA, TRANSACTION_HASH } from "../params/value-types.js";
import { arrayOf, orNull, QUANTITY, resource } from "../schemas/values.js";
import { DEFAULT_TRACE_CALL_OPTIONS, TRACE_CALL_OPTIONS } from "../tracing/trace-call-options.js";
import { DEFAULT_TRACE_OPTIONS, TRACE_OPTIONS, type TraceOptions } from "../tracing/trace-options.js";
import { bundlesRequest, simulation } from "./simulation.js";

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
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ chain, heavy }, [hash, options], deadline) => {
      const found = chain.findTransaction(hash);
      if (found === undefined) return null;
      const { header, index } = found;
      const request = { block: { hash: header.hash }, index, options };
      return timed(options, deadline, () => heavy.run("debugTransaction", request, deadline));
    },
  }),
  defineMethod({
    name: "debug_traceBlockByHash",
    summary: "Re-executes a block and returns the traces of its transactions",
    params: [required("hash", BLOCK_HASH), OPTIONS],
    result: BLOCK_TRACES,
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: (parts, [hash, options], deadline) => {
      return traceBlock(parts, parts.chain.headerByHash(hash)?.hash, options, deadline);
    },
  }),
  defineMethod({
    name: "debug_traceBlockByNumber",
    summary: "Re-executes a block of the best chain and returns the traces of its transactions",
    params: [required("block", BLOCK), OPTIONS],
    result: BLOCK_TRACES,
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: (parts, [selector, options], deadline) => {
      return traceBlock(parts, findBlock(parts.chain, selector)?.hash, options, deadline);
    },
  }),
  defineMethod({
    name: "debug_traceBlock",
    summary:
      "Executes an encoded block on the state after its parent and returns the traces of its transactions; it is not validated",
    params: [required("encodedBlock", DATA), OPTIONS],
    result: arrayOf(resource("BlockTrace")),
    isHeavy: true,
    errors: REPLAY_ERRORS,
    cost: "trace",
    handler: ({ heavy }, [encoded, options], deadline) =>
      timed(options, deadline, () =>
        heavy.run("debugBlock", { block: { encoded }, index: undefined, options }, deadline),
      ),
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
    errors: EXECUTION_ERRORS,
    cost: "trace",
    handler: async (parts, [call, block, { overrides, blockOverrides, ethereum, ...options }], deadline) => {
      const { callGasCap: gasCap } = parts.config;
      const request = await simulation(parts, { call, block, overrides, gasCap }, deadline);
      const traced = { ...request, blockOverrides, ethereum, options };
      return timed(options, deadline, () => parts.heavy.run("debugCall", traced, deadline));
    },
  }),
  defineMethod({
    name: "debug_traceCallMany",
    summary:
      "Executes bundles of calls, each on the state that those before it left, like unsigned transactions, and returns their traces",
    params: [
      required("bundles", BUNDLES),
      optional("context", STATE_CONTEXT, LATEST_STATE),
      optional("options", TRACE_CALL_OPTIONS, DEFAULT_TRACE_CALL_OPTIONS),
    ],
    result: arrayOf(arrayOf(resource("DebugTrace"))),
    isHeavy: true,
    errors: EXECUTION_ERRORS,
    cost: "trace",
    handler: async (parts, [given, context, { overrides, blockOverrides, ethereum, ...options }], deadline) => {
      if (ethereum !== undefined) throw invalidParams("rules are for debug_traceCall only");
      const bundles = withOverrides(given, blockOverrides);
      const request = await bundlesRequest(parts, { bundles, context, overrides }, deadline);
      return timed(options, deadline, () => parts.heavy.run("debugCallMany", { ...request, options }, deadline));
    },
  }),
  defineMethod({
    name: "debug_nodeStatus",
    summary:
      "Time since the start, memory, disk and submitted work of the node; sizes in bytes, all numbers are JSON numbers",
    params: [],
    result: resource("NodeStatus"),
    needs: "admin",
    handler: ({ admin }) => admin!.status(),
  }),
  defineMethod({
    name: "debug_wireProtocolQueueSize",
    summary: "Number of queued peer messages",
    params: [],
    result: QUANTITY,
    handler: ({ waitingPeerMessages = () => 0 }) => toQuantity(waitingPeerMessages()),
  }),
];

/**
 * Limits work by the client's own timeout. The work continues until the node's deadline: aborting it would end its
 * thread, which clients could then do at little cost.
 */
async function timed<T>({ timeout }: TraceOptions, deadline: Deadline, work: () => Promise<T>): Promise<T> {
  if (timeout === 0) return work();
  const own = deadline.within(timeout);
  const result = await own.limit(work());
  own.check();
  return result;
}

/** Returns the bundles; the first one has the options' overrides where it lacks its own. */
function withOverrides(bundles: readonly Bundle[], options: BlockOverrides): Bundle[] {
  return bundles.map(({ calls, blockOverrides: own }, index) => {
    return { calls, blockOverrides: index === 0 ? { ...options, ...given(own) } : own };
  });
}

function given<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function traceBlock(
  { heavy }: MethodParts,
  blockHash: Uint8Array | undefined,
  options: TraceOptions,
  deadline: Deadline,
): Promise<unknown> | null {
  if (blockHash === undefined) return null;
  return timed(options, deadline, () =>
    heavy.run("debugBlock", { block: { hash: blockHash }, index: undefined, options }, deadline),
  );
}
