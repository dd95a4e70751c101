import type { ChainReader } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import { Block, TypesError } from "@cambium/types";
import { replayBlock, requireBlock } from "../calls/replay.js";
import type { ApiConfig } from "../config.js";
import { invalidParams } from "../errors.js";
import { firstLogIndex, transactionMessage } from "./frame-tree.js";
import { type DebugTrace, TracerFactory } from "./selected-tracer.js";
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
  config: ApiConfig,
  request: DebugTraceRequest,
): DebugTrace | null {
  return debugTraces(chain, config, request)[0]?.result ?? null;
}

/** Traces of all transactions of a block with their hashes; none for genesis. Throws as {@link traceOneTransaction}. */
export function debugTraces(
  chain: ChainReader,
  config: ApiConfig,
  { block: which, index: wanted, options }: DebugTraceRequest,
): { txHash: string; result: DebugTrace }[] {
  const factory = new TracerFactory(options, config);
  const block = "hash" in which ? requireBlock(chain, which.hash) : decodeBlock(chain, which.encoded);
  const replay = replayBlock(
    chain,
    block,
    (index, state) => (wanted === undefined || wanted === index ? factory.create(state) : undefined),
    (state) => factory.observe(state),
  );
  if (replay === undefined) return [];
  const { execution, tracers } = replay;
  return [...tracers].map(([index, tracer]) => {
    const message = transactionMessage(chain, block, index);
    const result = factory.result(tracer, message, execution.outcomes[index]!, firstLogIndex(execution, index));
    return { txHash: toData(block.transactions[index]!.hash), result };
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
