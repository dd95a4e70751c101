import { UNCLE_GENERATION_LIMIT } from "@cambium/config";
import { compareBytes, LruCache, toHex } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import type { BlockHeader } from "@cambium/types";
import { NativeContractError } from "../errors.js";
import { ancestorHash, ancestorHeader } from "./ancestors.js";

/** A block of the matured height that was included as an uncle: `spec/05 §6`, step 5. */
export interface Sibling {
  header: BlockHeader;
  /** Miner of the including block, which is paid as publisher. */
  includingCoinbase: Uint8Array;
  includingHeight: number;
}

/** A sibling breaks the selection rule if its fees exceed the main block's by this factor. */
const FEE_MULTIPLIER = 2n;

/** A block's uncles are needed for the seven heights below it, possibly on several branches at the same time. */
const REMEMBERED_BLOCKS = 64;

/** Finds siblings in the block bodies of the executing block's branch, at every height (`spec/05 §5.4`, `§6.3`). */
export class SiblingFinder {
  private readonly unclesByHash = new LruCache<string, readonly BlockHeader[]>(REMEMBERED_BLOCKS);

  /** Siblings of a height, ordered by including height, then by position in the uncle list. */
  find(ancestors: AncestorReader, height: number): Sibling[] {
    const siblings: Sibling[] = [];
    for (let including = height + 1; including <= height + UNCLE_GENERATION_LIMIT; including++) {
      for (const header of this.uncles(ancestors, including)) {
        if (header.number !== height) continue;
        const includingCoinbase = ancestorHeader(ancestors, including).coinbase;
        siblings.push({ header, includingCoinbase, includingHeight: including });
      }
    }
    return siblings;
  }

  private uncles(ancestors: AncestorReader, number: number): readonly BlockHeader[] {
    const hash = toHex(ancestorHash(ancestors, number));
    let uncles = this.unclesByHash.get(hash);
    if (uncles === undefined) {
      uncles = ancestors.uncles(number);
      if (uncles === undefined) throw new NativeContractError({ code: "MISSING_ANCESTOR", number });
      this.unclesByHash.set(hash, uncles);
    }
    return uncles;
  }
}

/**
 * Whether the main block violates the selection rule (`spec/05 §6.4`). Fees and uncle counts of siblings are taken from
 * their headers without verification.
 */
export function isSelectionRuleBroken(processing: BlockHeader, siblings: readonly Sibling[]): boolean {
  const { paidFees, uncleCount } = processing;
  let maxUncles = 0;
  for (const { header } of siblings) {
    maxUncles = Math.max(maxUncles, header.uncleCount);
    if (header.paidFees > FEE_MULTIPLIER * paidFees) return true;
    if (paidFees < FEE_MULTIPLIER * header.paidFees && compareBytes(header.hash, processing.hash) < 0) return true;
  }
  return maxUncles > uncleCount;
}
