import {
  ChainError,
  ChainStore,
  clearTable,
  encodeTrieBlock,
  FACTS,
  FlatStates,
  FlatTables,
  MANY_DIFFERENCES,
  numberFact,
  storedPlaces,
  TABLES,
  type TrieBlock,
} from "@cambium/chain-store";
import { equalBytes } from "@cambium/primitives";
import { storedEntries, TrieError } from "@cambium/trie";
import { restoreValues } from "./flat-values.js";
import { hasDiffs, unwindValues, verifyHistory } from "./history.js";
import type { RepairStep } from "./repair-step.js";
import { attempt, type RebuildParts } from "./sound-blocks.js";
import type { SoundBlock } from "./sound-results.js";
import { buildTrie } from "./trie-from-values.js";

export interface SalvageParts extends Omit<RebuildParts, "onProgress"> {
  onStep: (step: RepairStep, done: number, total: number) => void;
  /** Called with the next step of the repair, and its reason. */
  onDecision: (text: string) => void;
}

/** A state that is complete and verified, in the flat table and as the stored trie. */
export interface SalvagedState {
  block: SoundBlock;
  /** Number of the lowest block of the best chain whose state can be read. */
  oldest: number;
}

/**
 * Completes the state of the highest possible block: `target`, which is sound itself, or the block of the stored trie.
 * The index of the best chain must be right up to `target`; `from` is the number of the block to which the flat table
 * belongs. Undefined if too much is lost.
 */
export function salvageState(
  parts: SalvageParts,
  from: number,
  target: SoundBlock,
): Promise<SalvagedState | undefined> {
  return new Salvage(parts, from).run(target);
}

class Salvage {
  private readonly store: ChainStore;
  private readonly oldest: number;

  constructor(
    private readonly parts: SalvageParts,
    private readonly from: number,
  ) {
    const { database, network } = parts;
    this.store = new ChainStore(database, network);
    this.oldest = Math.max(numberFact(database, FACTS.oldestState) ?? 0, numberFact(database, FACTS.snapshot) ?? 0);
  }

  async run(target: SoundBlock): Promise<SalvagedState | undefined> {
    const { database } = this.parts;
    await this.forgetPinned();
    const { block, hasTrie } = await this.choose(target);
    const { number, hash } = block.header;
    if (number < this.oldest) return undefined;
    if (number < this.from)
      this.say(`blocks ${number + 1} to ${this.from} are undone: they are damaged or will be imported again`);
    await unwindValues(database, this.from, number);
    const root = block.outcome.stateRoot;
    if (!(await this.complete(block, hasTrie))) return undefined;
    const value = encodeTrieBlock({ number, hash, root });
    await database.write([{ table: TABLES.facts, key: FACTS.trieBlock, value }]);
    const onBlock = (done: number, total: number) => {
      this.parts.signal?.throwIfAborted();
      this.parts.onStep("history", done, total);
    };
    const { store } = this;
    const oldest = await verifyHistory({
      database,
      store,
      block: { number, hash },
      root,
      oldest: this.oldest,
      onBlock,
    });
    this.say(`the state of block ${number} is complete; states from block ${oldest} on are readable`);
    return { block, oldest };
  }

  /** Chooses the block whose state is completed. Also returns whether the stored trie belongs to its state. */
  private async choose(target: SoundBlock): Promise<{ block: SoundBlock; hasTrie: boolean }> {
    const { database } = this.parts;
    const stored = attempt(() => new FlatTables(database).trieBlock());
    if (stored === undefined || !this.hasNodes(stored.root)) return { block: target, hasTrie: false };
    if (await this.storeTrie(target, stored)) return { block: target, hasTrie: true };
    const below = this.soundAncestor(stored, target);
    if (below === undefined) return { block: target, hasTrie: false };
    // The values are those of a later block if the diffs are missing; they are then useful only if the trie is whole.
    const isWhole = hasDiffs(database, stored.number, this.from) || this.isWhole(stored);
    return isWhole ? { block: below, hasTrie: true } : { block: target, hasTrie: false };
  }

  private hasNodes(root: Uint8Array): boolean {
    const first = storedEntries(new FlatTables(this.parts.database).nodes, root).next();
    return !first.done && !(first.value.kind === "gap" && first.value.bits === 0);
  }

  private isWhole(stored: TrieBlock): boolean {
    for (const { kind } of storedEntries(this.states().nodesAt(stored), stored.root)) {
      if (kind === "gap") return false;
    }
    return true;
  }

  /** Stores the trie of a block. Returns false if it cannot be computed, or does not have the block's root. */
  private async storeTrie({ header, outcome }: SoundBlock, stored: TrieBlock): Promise<boolean> {
    if (equalBytes(stored.hash, header.hash)) return equalBytes(stored.root, outcome.stateRoot);
    const { database } = this.parts;
    try {
      const states = this.states();
      const trie = states.after(header, outcome)?.trie().copy();
      if (trie === undefined) return false;
      const writes: Parameters<typeof database.write>[0][number][] = [];
      const storedPlace = storedPlaces(states.idsAt(header));
      const root = trie.saveByPlace({
        put: (place, value) => writes.push({ table: TABLES.trieNodes, key: storedPlace(place), value }),
      });
      const value = encodeTrieBlock({ number: header.number, hash: header.hash, root });
      await database.write([...writes, { table: TABLES.facts, key: FACTS.trieBlock, value }]);
      return true;
    } catch (error) {
      if (error instanceof TrieError || error instanceof ChainError) return false;
      throw error;
    }
  }

  private states(): FlatStates {
    return new FlatStates(this.store.states, undefined, MANY_DIFFERENCES);
  }

  /** The block of the stored trie, if it is on the best chain below `target`. */
  private soundAncestor({ number, hash, root }: TrieBlock, target: SoundBlock): SoundBlock | undefined {
    const best = number <= target.header.number ? this.store.hashAt(number) : undefined;
    const outcome = best && equalBytes(best, hash) ? this.store.outcome(hash) : undefined;
    const header = outcome && this.store.header(hash);
    return header !== undefined && equalBytes(outcome!.stateRoot, root) ? { header, outcome: outcome! } : undefined;
  }

  /** Completes the flat table and the trie from each other; false if that is not possible. */
  private async complete({ header: { number }, outcome }: SoundBlock, hasTrie: boolean): Promise<boolean> {
    const { database, signal, onStep } = this.parts;
    const wanted = { number, root: outcome.stateRoot, oldest: this.oldest };
    const count = (step: RepairStep) => {
      let values = 0;
      return () => {
        if (++values % 10_000 === 0) signal?.throwIfAborted();
        onStep(step, values, 0);
      };
    };
    let restored = { restored: 0, gaps: 1 };
    if (hasTrie) {
      this.say(`the values of the state of block ${number} are compared with its trie, and restored from it`);
      const result = await restoreValues(database, wanted, count("values"));
      if (result === undefined) {
        this.say("values are lost that the trie has as hashes only");
        return false;
      }
      restored = result;
      this.say(`values restored: ${restored.restored}; missing parts of the trie: ${restored.gaps}`);
    }
    if (restored.gaps === 0) return true;
    this.say(`the trie of block ${number} is built from the values`);
    const isBuilt = await buildTrie(database, wanted, count("trie"));
    if (!isBuilt) this.say("values are lost: the trie does not have the root that the block names");
    return isBuilt;
  }

  /** Nodes of pinned tries may be replaced. */
  private async forgetPinned(): Promise<void> {
    const { database } = this.parts;
    await database.write([{ table: TABLES.facts, key: FACTS.pinned, value: undefined }]);
    await clearTable(database, TABLES.pinnedNodes);
  }

  private say(text: string): void {
    this.parts.onDecision(text);
  }
}
