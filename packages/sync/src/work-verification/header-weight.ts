import { calcDifficulty } from "@cambium/chain";
import { type NetworkConfig, UNCLE_GENERATION_LIMIT, UNCLE_LIST_LIMIT } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { type BlockHeader, EMPTY_UNCLES_HASH } from "@cambium/types";

/** Bounds of a sum of difficulties. */
export interface Weight {
  least: bigint;
  most: bigint;
}

/** Seconds between an uncle and its parent that cover all outcomes of the difficulty rule (`spec/02 §4.1`). */
const DELAYS = [-1n, 0n, 599n, 600n];

/**
 * Bounds the difficulty that the blocks from `from` on add to the total (`spec/02 §4.4`). A header does not reveal how
 * many uncles its block has, because no rule compares its uncle count with them: none if their hash says so, otherwise
 * one to ten. The parents of uncles are ancestors of the block, which bounds their difficulties.
 *
 * @param headers consecutive, ascending, from the lowest possible parent of an uncle on
 */
export function weightOf(headers: readonly BlockHeader[], from: number, network: NetworkConfig): Weight {
  const ranges = headers.map((parent) => childDifficulty(parent, network));
  const sum = { least: 0n, most: 0n };
  for (const [index, header] of headers.entries()) {
    if (header.number < from) continue;
    const own = header.difficultyValue;
    sum.least += own;
    sum.most += own;
    if (equalBytes(header.unclesHash, EMPTY_UNCLES_HASH)) continue;
    const parents = ranges.slice(Math.max(index - UNCLE_GENERATION_LIMIT, 0), Math.max(index - 1, 0));
    sum.least += extreme(parents.map(({ least }) => least)).least;
    sum.most += extreme(parents.map(({ most }) => most)).most * BigInt(UNCLE_LIST_LIMIT);
  }
  return sum;
}

/** Returns the difficulties that a child of a block can have. */
function childDifficulty(parent: BlockHeader, network: NetworkConfig): Weight {
  // Every delay is longer than the target if the count is -1.
  const possible = [0, -1].flatMap((uncleCount) =>
    DELAYS.map((delay) => {
      const child = { number: parent.number + 1, timestamp: parent.timestamp + delay, uncleCount };
      return calcDifficulty(child, parent, network);
    }),
  );
  return extreme(possible);
}

function extreme(values: readonly bigint[]): Weight {
  let [least = 0n] = values;
  let most = least;
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}
