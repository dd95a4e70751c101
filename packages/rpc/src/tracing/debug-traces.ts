import type { ChainReader } from "@cambium/chain";
import { Block, TypesError } from "@cambium/types";
import type { RpcConfig } from "../config.js";
import { invalidParams } from "../errors.js";
import { positionOf } from "./flat-traces.js";
import { firstLogIndex, transactionMessage } from "./frame-tree.js";
import { replayBlock, requireBlock } from "./replay.js";
import { type DebugTrace, type SelectedTracer, TracerFactory } from "./selected-tracer.js";
import type { TraceOptions } from "./trace-options.js";

/** A block to trace, and the index of a transaction if only that one is requested. */
export interface DebugTraceRequest {
  /** Hash of a known block, or the encoding of any block whose parent is known. */
  block: { hash: Uint8Array } | { encoded: Uint8Array };
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
  { block: which, index: wanted, options }: DebugTraceRequest,
): { txHash: string; result: DebugTrace }[] {
  const factory = new TracerFactory(options, config);
  const block = "hash" in which ? requireBlock(chain, which.hash) : decodeBlock(chain, which.encoded);
  const selected = new Map<number, SelectedTracer>();
  const replay = replayBlock(
    chain,
    block,
    (index, state) => {
      if (wanted !== undefined && wanted !== index) return undefined;
      const one = factory.create(state);
      selected.set(index, one);
      return one.tracer;
    },
    (state) => factory.observe(state),
  );
  if (replay === undefined) return [];
  const { execution } = replay;
  return [...selected].map(([index, { trace }]) => {
    const message = transactionMessage(chain, block, index);
    const outcome = execution.outcomes[index]!;
    const position = positionOf(block, index);
    const result = trace({ message, outcome, firstLog: firstLogIndex(execution, index), position });
    return { txHash: position.transactionHash, result };
  });
}

/** Throws {@link RpcError} `INVALID_PARAMS` if the encoding is malformed. */
function decodeBlock({ network }: ChainReader, encoded: Uint8Array): Block {
  try {
    return Block.decode(encoded, network);
  } catch (error) {
    if (error instanceof TypesError) throw invalidParams(`malformed block: ${error.message}`);
    throw error;
  }
}
