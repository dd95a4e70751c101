import type { Write } from "@cambium/database";
import { type KeyedState, TrieState } from "@cambium/state";
import { type NodeCache, type NodeReader, Trie } from "@cambium/trie";
import { type BlockOutcome, hasState } from "../tables/block-outcome.js";
import { TABLES } from "../tables/tables.js";
import type { BlockId, StateSource, StateWriter } from "./stored-states.js";

/**
 * The states of a chain in the archive layout: nodes are stored under their hashes and never change, so readers need no
 * precautions.
 */
export class ArchiveStates implements StateWriter {
  readonly layout = "archive";
  private readonly nodes: NodeReader;

  constructor(
    { reader }: StateSource,
    private readonly cache: NodeCache | undefined,
  ) {
    this.nodes = { get: (hash) => reader.get(TABLES.stateNodes, hash) };
  }

  after(_block: BlockId, outcome: BlockOutcome): TrieState | undefined {
    return hasState(outcome) ? new TrieState(new Trie(this.nodes, outcome.stateRoot, this.cache)) : undefined;
  }

  accept(_block: BlockId, state: KeyedState): Write[] {
    if (!(state instanceof TrieState)) throw new TypeError("not a state of this layout");
    const writes: Write[] = [];
    state.save({ put: (key, value) => writes.push({ table: TABLES.stateNodes, key, value }) });
    return writes;
  }

  rewind(): Write[] {
    return [];
  }

  forget(): Write[] {
    return [];
  }

  mark(): void {}

  async *garbage(): AsyncGenerator<() => Write[]> {}

  catchUp(): Write[] {
    return [];
  }

  close(): Write[] {
    return [];
  }
}
