import { CambiumError } from "@cambium/primitives";

/**
 * Why a block cannot be imported: one code for each rule of `spec/02 §3`, with the data to see it by.
 * Rules are pure functions that throw {@link BlockError}; `BlockFault` is its details.
 */
export type BlockFault =
  | { code: "DECODING"; reason: string }
  | { code: "GENESIS_NUMBER" }
  | { code: "EXECUTION"; reason: string };

export class BlockError extends CambiumError<BlockFault> {}
