import type { Block } from "@cambium/types";
import type { ListResults } from "../execution/block-executor.js";

/** Executes the second parallel list of blocks, while the caller executes the first one (RSKIP-144). */
export interface ListExecutor {
  /** Milliseconds that the first list must take, as far as is known, before the second one is given away. */
  readonly minTime: number;
  /** Whether the second list of a block can be given away now. */
  takes(block: Block): boolean;
  /**
   * As `executeSecondList`, on the state after the block's parent, which must be on its way to the disk. Undefined if it does not get there soon, or
   * cannot be read. Rejects if the list cannot be executed.
   */
  execute(block: Block): Promise<ListResults | undefined>;
}
