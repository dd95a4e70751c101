import type { BlockExecution, ChainReader } from "@cambium/chain";
import type { Tracer } from "@cambium/evm";
import { CambiumError, toData } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { Block } from "@cambium/types";
import { stateNotFound } from "../errors.js";

/** A block executed again, with the tracer of each transaction that was watched. */
export interface Replay<T> {
  execution: BlockExecution;
  tracers: ReadonlyMap<number, T>;
}

/** The block to trace. Throws {@link RpcError} `STATE_NOT_FOUND`. */
export function requireBlock(chain: ChainReader, hash: Uint8Array): Block {
  const block = chain.blockByHash(hash);
  if (block === undefined) throw stateNotFound(`Block with hash ${toData(hash)} not found`);
  return block;
}

/**
 * Executes a block with tracers for the transactions that are wanted (`spec/09 §12`). Undefined for genesis, which
 * has no execution. Throws {@link RpcError} `STATE_NOT_FOUND` when the state before the block is not stored.
 */
export function replayBlock<T extends Tracer>(
  chain: ChainReader,
  block: Block,
  tracerOf: (index: number, state: JournaledState) => T | undefined,
): Replay<T> | undefined {
  if (block.number === 0) return undefined;
  const tracers = new Map<number, T>();
  const execution = replay(chain, block, (index, state) => {
    const tracer = tracerOf(index, state);
    if (tracer !== undefined) tracers.set(index, tracer);
    return tracer;
  });
  return { execution, tracers };
}

function replay(
  chain: ChainReader,
  block: Block,
  tracerOf: (index: number, state: JournaledState) => Tracer | undefined,
): BlockExecution {
  try {
    return chain.replay(block, tracerOf);
  } catch (error) {
    const code = error instanceof CambiumError ? error.code : undefined;
    if (code !== "MISSING_NODE" && code !== "UNKNOWN_BLOCK") throw error;
    throw stateNotFound(`State not found for block with hash ${toData(block.hash)}`);
  }
}
