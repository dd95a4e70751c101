import { BlockError, type BlockExecution, type ChainReader, type StateObserver } from "@cambium/chain";
import type { Tracer } from "@cambium/evm";
import { CambiumError, toData } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { Block } from "@cambium/types";
import { serverError, stateNotFound } from "../errors.js";

/** A re-executed block, with the tracers of the selected transactions. */
export interface Replay<T> {
  execution: BlockExecution;
  tracers: ReadonlyMap<number, T>;
}

/** The block to trace. Throws {@link RpcError} `STATE_NOT_FOUND` if it is unknown. */
export function requireBlock(chain: ChainReader, hash: Uint8Array): Block {
  const block = chain.blockByHash(hash);
  if (block === undefined) throw stateNotFound(`Block with hash ${toData(hash)} not found`);
  return block;
}

/**
 * Re-executes a block with tracers for the selected transactions (`spec/09 §12`). Returns undefined for genesis, which
 * is not executed. Throws {@link RpcError} `STATE_NOT_FOUND` if the state before the block is not stored.
 */
export function replayBlock<T extends Tracer>(
  chain: ChainReader,
  block: Block,
  tracerOf: (index: number, state: JournaledState) => T | undefined,
  observe?: StateObserver,
): Replay<T> | undefined {
  if (block.number === 0) return undefined;
  const tracers = new Map<number, T>();
  const execution = replay(
    chain,
    block,
    (index, state) => {
      const tracer = tracerOf(index, state);
      if (tracer !== undefined) tracers.set(index, tracer);
      return tracer;
    },
    observe,
  );
  return { execution, tracers };
}

function replay(
  chain: ChainReader,
  block: Block,
  tracerOf: (index: number, state: JournaledState) => Tracer | undefined,
  observe?: StateObserver,
): BlockExecution {
  return withStoredState(block, () => chain.replay(block, tracerOf, observe));
}

/**
 * Returns the result of `execute` for a block. Throws {@link RpcError} `STATE_NOT_FOUND` if the state before the block
 * is not stored.
 */
export function withStoredState<T>(block: Block, execute: () => T): T {
  try {
    return execute();
  } catch (error) {
    const code = error instanceof CambiumError ? error.code : undefined;
    // Known blocks have been executed before.
    if (error instanceof BlockError) throw serverError(`the block cannot be executed: ${error.message}`);
    if (code !== "MISSING_NODE" && code !== "UNKNOWN_BLOCK" && code !== "STATE_UNAVAILABLE") throw error;
    throw stateNotFound(`State not found for block with hash ${toData(block.hash)}`);
  }
}
