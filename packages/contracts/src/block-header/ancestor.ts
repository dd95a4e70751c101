import type { ExecutingBlock } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { NativeContractError } from "../errors.js";
import { asInt16 } from "./short-integer.js";

/** First depth that is not accessible. */
const DEPTH_LIMIT = 4000;

/** A block below the executing one, on its branch. */
export interface Ancestor {
  readonly header: BlockHeader;
  readonly hash: Uint8Array;
  uncles(): readonly BlockHeader[];
  /**
   * Total difficulty up to and including this block. Throws {@link NativeContractError} `BLOCK_DATA_ABSENT` if it is
   * not known.
   */
  totalDifficulty(): bigint;
}

/**
 * Returns the block at a depth, 0 being the parent; undefined if it is not accessible (`spec/04 §6.9`). Depths above 16
 * bits or from 4000 are not accessible, nor is genesis or below, which only depth 0 returns. Throws
 * {@link NativeContractError} `INVALID_ARGUMENT` if the depth is negative.
 */
export function ancestorAtDepth(block: ExecutingBlock, depth: bigint, method: string): Ancestor | undefined {
  const short = asInt16(depth);
  if (short === undefined) return undefined;
  if (short < 0) {
    throw new NativeContractError({ code: "INVALID_ARGUMENT", method, argument: "depth", reason: "negative" });
  }
  const parent = block.number - 1;
  if (short >= DEPTH_LIMIT || (short > 0 && parent <= short)) return undefined;
  const number = parent - short;
  const header = block.ancestors.header(number);
  const hash = block.ancestors.hash(number);
  if (header === undefined || hash === undefined) return undefined;
  return {
    header,
    hash,
    uncles: () => block.ancestors.uncles(number) ?? [],
    totalDifficulty() {
      const total = block.ancestors.totalDifficulty(number);
      if (total === undefined) {
        throw new NativeContractError({ code: "BLOCK_DATA_ABSENT", method, field: "totalDifficulty" });
      }
      return total;
    },
  };
}
