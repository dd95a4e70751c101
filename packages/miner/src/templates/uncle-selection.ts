import { areAcceptableUncles } from "@cambium/chain";
import { UNCLE_GENERATION_LIMIT, UNCLE_LIST_LIMIT } from "@cambium/config";
import { compareBytes, equalBytes } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import type { BuildingChain } from "../interface.js";

/**
 * Selects uncles of the block after `parent`: stored siblings of its ancestors that no ancestor has cited and that
 * import accepts (`spec/02 §8`, `spec/03 §6.2`). Those that expire soonest come first, then lower hashes. The deployed
 * client uses the order of a hash set and drops all of them if one fails a rule. `now` in seconds.
 */
export function selectUncles(
  chain: BuildingChain,
  parent: BlockHeader,
  branch: AncestorReader,
  now: number,
): BlockHeader[] {
  const number = parent.number + 1;
  const chosen: BlockHeader[] = [];
  const oldest = Math.max(chain.network.fork?.number ?? 0, number - UNCLE_GENERATION_LIMIT);
  for (let height = oldest + 1; height < number; height++) {
    for (const uncle of siblings(chain, branch, height)) {
      if (chosen.length === UNCLE_LIST_LIMIT) return chosen;
      const context = { number, uncles: [uncle], parent, branch, network: chain.network, now };
      if (areAcceptableUncles(context)) chosen.push(uncle);
    }
  }
  return chosen;
}

/** Siblings of the branch's block at a height, in the order of their hashes. */
function siblings(chain: BuildingChain, branch: AncestorReader, height: number): BlockHeader[] {
  const own = branch.header(height);
  if (own === undefined) return [];
  return chain
    .hashesByNumber(height)
    .filter((hash) => !equalBytes(hash, own.hash))
    .sort(compareBytes)
    .map((hash) => chain.headerByHash(hash))
    .filter((header) => header !== undefined && equalBytes(header.parentHash, own.parentHash)) as BlockHeader[];
}
