import type { ChainReader } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import { Block, TypesError } from "@cambium/types";
import { replayBlock, requireBlock } from "../calls/replay.js";
import type { ApiConfig } from "../config.js";
import { invalidParams } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { withoutReward } from "../lookups/shown-chain.js";
import { type DebugTrace, type SelectedTracer, TracerFactory } from "./selected-tracer.js";
import type { TraceOptions } from "./trace-options.js";
import { positionOf } from "./tracers/flat-traces.js";
import { firstLogIndex, transactionMessage } from "./tracers/frame-tree.js";
import type { TracedStart } from "./tracers/traced-start.js";

/** A block to trace, and the index of a transaction if only that one is requested. */
export interface DebugTraceRequest {
  /** Hash of a known block, or the encoding of any block whose parent is known. */
  block: { hash: Uint8Array } | { encoded: Uint8Array };
  index: number | undefined;
  options: TraceOptions;
}

/** Trace of one transaction (`spec/09 §12.1`). Rejects with {@link RpcError} as {@link replayBlock}, or on a limit. */
export async function traceOneTransaction(
  chain: ChainReader,
  config: ApiConfig,
  request: DebugTraceRequest,
  limit: WorkLimit,
): Promise<DebugTrace | null> {
  const [only] = await debugTraces(chain, config, request, limit);
  return only?.result ?? null;
}

/**
 * Returns traces of a block's transactions with their hashes; none for genesis. Rejects as {@link traceOneTransaction}.
 */
export async function debugTraces(
  chain: ChainReader,
  config: ApiConfig,
  { block: which, index, options }: DebugTraceRequest,
  limit: WorkLimit,
): Promise<BlockTrace[]> {
  const factory = await TracerFactory.open(options, config, limit);
  const block = "hash" in which ? requireBlock(chain, which.hash) : decodeBlock(chain, config, which.encoded);
  return factory.collect(() => blockTraces(chain, block, index, factory));
}

/** The trace of one transaction of a block. */
interface BlockTrace {
  txHash: string;
  result: DebugTrace;
}

function blockTraces(
  chain: ChainReader,
  block: Block,
  wanted: number | undefined,
  factory: TracerFactory,
): BlockTrace[] {
  const selected = new Map<number, SelectedTracer>();
  const replay = replayBlock(
    chain,
    block,
    (index, state) => {
      if (wanted !== undefined && wanted !== index) return undefined;
      const one = factory.create(state, startOf(chain, block, index));
      selected.set(index, one);
      return one.tracer;
    },
    (state) => factory.observe(state),
  );
  if (replay === undefined) return [];
  const { execution } = replay;
  return [...selected].map(([index, { trace }]) => {
    const outcome = execution.outcomes[index]!;
    const result = trace({ outcome, firstLog: firstLogIndex(execution, index) });
    return { txHash: toData(block.transactions[index]!.hash), result };
  });
}

function startOf(chain: ChainReader, block: Block, index: number): TracedStart {
  const { number, coinbase } = block.header;
  const { gasPrice } = block.transactions[index]!;
  const message = transactionMessage(chain, block, index);
  const { network } = chain;
  return { network, message, gasPrice, block: { number, coinbase }, position: positionOf(block, index) };
}

/** Throws {@link RpcError} `INVALID_PARAMS` if the encoding is malformed. */
function decodeBlock({ network }: ChainReader, { skipRemasc }: ApiConfig, encoded: Uint8Array): Block {
  try {
    const block = Block.decode(encoded, network);
    return skipRemasc ? withoutReward(block) : block;
  } catch (error) {
    if (error instanceof TypesError) throw invalidParams(`malformed block: ${error.message}`);
    throw error;
  }
}
