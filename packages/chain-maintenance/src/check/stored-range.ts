import { FACTS, layoutOf, numberFact, type StateLayout } from "@cambium/chain-store";
import type { KeyValueReader } from "@cambium/database";

/** Range of the states and blocks in a database. */
export interface StoredRange {
  layout: StateLayout;
  /** Number of the lowest block of the best chain whose state can be read. */
  oldestState: number;
  /** Number of the lowest block from which the best chain is stored whole; 0 if all of it is. */
  oldestBlock: number;
  /**
   * Flat layout: number of the block whose trie is stored. The trie of the best block is built from it when the
   * database is opened.
   */
  trieBlock?: number;
}

/** Returns the range. Throws `ChainError` `DATABASE_DAMAGED` if the database does not say which layout it has. */
export function storedRange(reader: KeyValueReader): StoredRange {
  const layout = layoutOf(reader);
  const oldestBlock = numberFact(reader, FACTS.earliest) ?? 0;
  if (layout === "archive") return { layout, oldestBlock, oldestState: numberFact(reader, FACTS.snapshot) ?? 0 };
  const oldestState = numberFact(reader, FACTS.oldestState) ?? 0;
  return { layout, oldestBlock, oldestState, trieBlock: numberFact(reader, FACTS.trieBlock) };
}
