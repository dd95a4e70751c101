import type { Block } from "@cambium/types";
import type { ListResults } from "../execution/block-executor.js";

/** Executes the second parallel list of blocks, while the caller executes the first one (RSKIP-144). */
export interface ListExecutor {
  /** Whether it is worth while for a block, and possible now. */
  takes(block: Block): boolean;
  /**
   * As `executeSecondList`, on the state after the block's parent, which must be on disk. Undefined if that cannot be read. Rejects if the list
   * cannot be executed.
   */
  execute(block: Block): Promise<ListResults | undefined>;
}
