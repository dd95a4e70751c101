import type { KeyedState, StateChange } from "@cambium/state";
import type { ExecutionResults } from "../execution/block-executor.js";

/**
 * Results of the execution of a block that this process built, so that the import need not execute it again.
 *
 * The import applies the changes to the state after the parent, which it has stored itself. It compares the root of the
 * result, the receipts, the bloom filter, the gas and the fees with the header, by the same rules as after its own
 * execution. So it stores only data that the header commits to. If the changes were already applied to that state
 * object, the import takes the result.
 *
 * Whether the header itself is right depends on the execution alone, and both executions would be the same. The builder
 * passes its results on only if it executed the same transactions in the order of the block, with the same interpreter,
 * on the state after the same parent, in a block with the same number, time, difficulty, gas limit and coinbase. The
 * proof of work, which is added later, is not visible to transactions. All other rules are checked as for any block.
 *
 * These results must never come from outside of this process.
 */
export interface KnownExecution extends ExecutionResults {
  /** Changes of the state after the parent, including those that come with the block's number. */
  readonly changes: readonly StateChange[];
  /** The state after the parent that was read, and the state after the changes. */
  readonly before: KeyedState;
  readonly after: KeyedState;
}
