import type { KeyedState, StateChange } from "@cambium/state";
import type { ExecutionResults } from "../execution/block-executor.js";

/**
 * What the execution of a block gave when this process built it, so that the import need not execute it again.
 *
 * The import applies the changes to the state after the parent that it has stored itself, and compares the root of the
 * result, the receipts, the bloom filter, the gas and the fees with the header, by the same rules as after an execution
 * of its own. So what it stores is what the header commits to. (If they were applied to that very object already, it
 * takes the result.) That the header itself is right depends on the execution alone, and both would run the same one:
 * the builder passes its results on only if it executed the same transactions, in the order of the block, with the same
 * interpreter, on the state after the same parent, in a block with the same number, time, difficulty, gas limit and
 * coinbase. The proof of work, which is added later, is not visible to transactions. All other rules are checked as for
 * any block.
 *
 * It must never come from outside of this process.
 */
export interface KnownExecution extends ExecutionResults {
  /** Changes of the state after the parent, those that come with the block's number included. */
  readonly changes: readonly StateChange[];
  /** The state after the parent that was read, and the state after the changes. */
  readonly before: KeyedState;
  readonly after: KeyedState;
}
