import type { ChainReader } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import { AnswerBudget } from "./answer-budget.js";
import { type CallFrame, callFrame } from "./call-tracer.js";
import { FrameTreeTracer } from "./frame-tree.js";
import { replayBlock, requireBlock } from "./replay.js";
import { type StructTrace, StructTracer } from "./struct-tracer.js";
import type { TraceOptions } from "./trace-options.js";

export type DebugTrace = StructTrace | CallFrame;

/** A block to trace, and the index of a transaction if only that one is requested. */
export interface DebugTraceRequest {
  blockHash: Uint8Array;
  index: number | undefined;
  options: TraceOptions;
}

/** Trace of one transaction (`spec/09 §12.1`). Throws {@link RpcError} as {@link replayBlock} does, or on a limit. */
export function traceOneTransaction(
  chain: ChainReader,
  config: RpcConfig,
  request: DebugTraceRequest,
): DebugTrace | null {
  return debugTraces(chain, config, request)[0]?.result ?? null;
}

/** Traces of all transactions of a block with their hashes; none for genesis. Throws as {@link traceOneTransaction}. */
export function debugTraces(
  chain: ChainReader,
  config: RpcConfig,
  { blockHash, index: wanted, options }: DebugTraceRequest,
): { txHash: string; result: DebugTrace }[] {
  const budget = new AnswerBudget(config.maxResponseSize);
  const { maxInitialCells } = config.trace;
  const block = requireBlock(chain, blockHash);
  const replay = replayBlock(chain, block, (index, state) => {
    if (wanted !== undefined && wanted !== index) return undefined;
    if (options.tracer === "call") return new FrameTreeTracer(budget);
    return new StructTracer(state, { ...options, maxInitialCells }, budget);
  });
  if (replay === undefined) return [];
  const { execution, tracers } = replay;
  return [...tracers].map(([index, tracer]) => {
    const transaction = block.transactions[index]!;
    const outcome = execution.outcomes[index]!;
    const result =
      tracer instanceof StructTracer
        ? tracer.trace(transaction, outcome)
        : callFrame(tracer.tree(chain, block, index, execution), options);
    return { txHash: toData(transaction.hash), result };
  });
}
