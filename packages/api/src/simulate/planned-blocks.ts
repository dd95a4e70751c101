import { NO_BLOCK_OVERRIDES } from "../calls/block-overrides.js";
import { RpcError } from "../errors.js";
import { MAX_SIMULATED_BLOCKS, type SimulatedBlock, tooMany } from "./simulation-payload.js";

/** A block to simulate with its number and time. */
export interface PlannedBlock extends SimulatedBlock {
  number: number;
  /** Seconds since 1970. */
  timestamp: bigint;
}

/** The block on which a simulation builds. */
interface Base {
  number: number;
  timestamp: bigint;
}

/**
 * Numbers and times of the simulated blocks: without overrides, one more than the block before, and the network's
 * target time later. Blocks without calls fill the gaps between numbers. Throws {@link RpcError} if numbers or times do
 * not ascend.
 */
export function plannedBlocks(blocks: readonly SimulatedBlock[], base: Base, blockDuration: number): PlannedBlock[] {
  const planned: PlannedBlock[] = [];
  let { number: lastNumber, timestamp: lastTime } = base;
  const add = (block: SimulatedBlock, number: number, timestamp: bigint) => {
    planned.push({ ...block, number, timestamp });
    lastNumber = number;
    lastTime = timestamp;
  };
  for (const block of blocks) {
    const number = block.blockOverrides.number ?? lastNumber + 1;
    if (number <= lastNumber) {
      throw new RpcError({
        code: "BLOCK_NUMBER_ORDER",
        text: `block numbers must be in order: ${number} <= ${lastNumber}`,
      });
    }
    if (number - base.number > MAX_SIMULATED_BLOCKS) throw tooMany("blocks", MAX_SIMULATED_BLOCKS);
    while (lastNumber + 1 < number) add(EMPTY, lastNumber + 1, lastTime + BigInt(blockDuration));
    const timestamp = block.blockOverrides.timestamp ?? lastTime + BigInt(blockDuration);
    if (timestamp <= lastTime) {
      throw new RpcError({
        code: "BLOCK_TIME_ORDER",
        text: `block timestamps must be in order: ${timestamp} <= ${lastTime}`,
      });
    }
    add(block, number, timestamp);
  }
  return planned;
}

const EMPTY: SimulatedBlock = { blockOverrides: NO_BLOCK_OVERRIDES, overrides: [], calls: [] };
