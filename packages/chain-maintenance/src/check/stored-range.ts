import { FACTS, layoutOf, numberFact, type StateLayout } from "@cambium/chain-store";
import type { KeyValueReader } from "@cambium/database";

/** Range of the states in a database. */
export interface StoredRange {
  layout: StateLayout;
  /** Number of the lowest block of the best chain whose state can be read. */
  oldestState: number;
  /**
   * Flat layout: number of the block whose trie is stored. The trie of the best block is built from it when the
   * database is opened.
   */
  trieBlock?: number;
}

/** Returns the range. Throws `ChainError` `DATABASE_DAMAGED` if the database does not say which layout it has. */
export function storedRange(reader: KeyValueReader): StoredRange {
  const layout = layoutOf(reader);
  if (layout === "archive") return { layout, oldestState: numberFact(reader, FACTS.snapshot) ?? 0 };
  const oldestState = numberFact(reader, FACTS.oldestState) ?? 0;
  return { layout, oldestState, trieBlock: numberFact(reader, FACTS.trieBlock) };
}
