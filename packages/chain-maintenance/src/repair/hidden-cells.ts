import {
  accountOf,
  type FlatRecord,
  isCellKey,
  isTombstoneKey,
  numberInId,
  TOMBSTONE_BYTES,
} from "@cambium/chain-store";
import { equalBytes } from "@cambium/primitives";

/**
 * Recognises hidden cells, which the flat table has but no trie, as it is read in the order of keys. A tombstone
 * precedes the cells of its account.
 */
export class HiddenCells {
  private account: Uint8Array | undefined;
  private number = 0;

  /** `highest`: number of the block whose state is in the flat table. */
  constructor(private readonly highest: number) {}

  visit(key: Uint8Array, { value, changed }: FlatRecord): "tombstone" | "wrong tombstone" | "hidden" | "visible" {
    if (isTombstoneKey(key)) {
      const number = numberInId(value);
      if (number > this.highest || value.length !== TOMBSTONE_BYTES) return "wrong tombstone";
      this.account = accountOf(key);
      this.number = number;
      return "tombstone";
    }
    return changed < this.lowestVisible(key) ? "hidden" : "visible";
  }

  /** Number of the first block whose changes of a key are visible. */
  lowestVisible(key: Uint8Array): number {
    const isOwn = this.account !== undefined && isCellKey(key) && equalBytes(accountOf(key), this.account);
    return isOwn ? this.number : 0;
  }
}
