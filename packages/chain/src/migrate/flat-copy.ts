import type { NetworkConfig } from "@cambium/config";
import { type Database, numberKey, readNumber, type Write, WriteQueue } from "@cambium/database";
import { concatBytes, equalBytes, keccak256 } from "@cambium/primitives";
import { NodeCache, type NodeReader, storedParts, trieChanges } from "@cambium/trie";
import type { BlockHeader } from "@cambium/types";
import { ChainError } from "../errors.js";
import { clearTable } from "../state/clear-table.js";
import { type FlatStateOptions, historyStart } from "../state/flat-state-options.js";
import { FlatStateWriter } from "../state/flat-state-writer.js";
import { encodeTrieBlock } from "../state/flat-tables.js";
import { firstVersionWrites } from "../state/genesis-writes.js";
import { FLAT_TABLES } from "../state/remove-flat-state.js";
import type { BlockId } from "../state/stored-states.js";
import { type BlockOutcome, hasState } from "../store/block-outcome.js";
import { ChainStore } from "../store/chain-store.js";
import { FACTS, numberFact, TABLES } from "../store/tables.js";
import { BoundedWriter } from "./bounded-writer.js";

const FLAT_FACTS = [FACTS.copiedState, FACTS.trieBlock, FACTS.oldestState, FACTS.pinned] as const;
/** Nodes in memory while the changes of blocks are copied. */
const CACHED_NODES = 250_000;
/** If a copy is continued, blocks may have come to this depth below the last copied one meanwhile. */
const LATE_BLOCKS = 64;

export interface CopyOptions {
  network: NetworkConfig;
  database: Database;
  flatState?: FlatStateOptions;
  /** Number of values, or of blocks, that were copied so far. */
  onProgress?: (step: "values" | "blocks", done: number, total?: number) => void;
  signal?: AbortSignal;
}

/** A stored block and its outcome. */
interface Stored {
  header: BlockHeader;
  outcome: BlockOutcome;
}

/**
 * Fills the tables of the flat layout from those of the archive layout, which stay as they are: the state at the beginning of the history
 * that will be kept, then what each block above it changed. Every batch of the second part says to which block the copy has come, so
 * that it continues there, also if blocks were imported meanwhile.
 */
export class FlatCopy {
  private readonly store: ChainStore;
  private readonly queue: WriteQueue;
  private readonly nodes: NodeReader;

  constructor(private readonly options: CopyOptions) {
    this.queue = new WriteQueue(options.database);
    this.store = new ChainStore(this.queue, options.network);
    this.nodes = { get: (hash) => this.archived(hash) };
  }

  /** Resolves to false if it was interrupted. Rejects with {@link ChainError} `DATABASE_DAMAGED`. */
  async run(): Promise<boolean> {
    const { signal } = this.options;
    if (this.copiedTo() === undefined) await this.copyState();
    if (!signal?.aborted) await this.copyBlocks();
    return !signal?.aborted;
  }

  /** The last block of the best chain that was copied; undefined if there is none. */
  private copiedTo(): BlockId | undefined {
    const stored = this.options.database.get(TABLES.facts, FACTS.copiedState);
    if (stored === undefined) return undefined;
    const block = { number: readNumber(stored, 0), hash: stored.subarray(8) };
    const hash = this.store.hashAt(block.number);
    return hash !== undefined && equalBytes(hash, block.hash) ? block : undefined;
  }

  /** Copies the state of the oldest block that will be readable. */
  private async copyState(): Promise<void> {
    const { database, flatState, onProgress, signal } = this.options;
    await this.removeRemains();
    const best = this.best().header.number;
    const lowest = numberFact(database, FACTS.snapshot) ?? 0;
    const first = this.stored(this.hashAt(Math.max(historyStart(best, flatState), lowest)));
    const { number, hash } = first.header;
    if (signal?.aborted) return;
    const writer = new BoundedWriter(database);
    let values = 0;
    for (const part of storedParts(this.nodes, first.outcome.stateRoot)) {
      if (part.kind === "record") writer.add({ table: TABLES.trieNodes, key: part.place, value: part.record });
      else if (part.kind === "value") {
        for (const write of firstVersionWrites(part.key, part.value, number)) writer.add(write);
        values++;
      }
      if (!writer.isFull) continue;
      await writer.flush();
      onProgress?.("values", values);
      if (signal?.aborted) return;
    }
    const trieBlock = encodeTrieBlock({ number, hash, root: first.outcome.stateRoot });
    await writer.flush([
      { table: TABLES.facts, key: FACTS.trieBlock, value: trieBlock },
      { table: TABLES.facts, key: FACTS.oldestState, value: numberKey(number) },
      copiedWrite(first.header),
    ]);
    onProgress?.("values", values);
  }

  /** Removes what a copy has left that was interrupted or is of another branch. */
  private async removeRemains(): Promise<void> {
    const { database, signal } = this.options;
    await database.write(FLAT_FACTS.map((key) => ({ table: TABLES.facts, key, value: undefined })));
    for (const table of FLAT_TABLES) await clearTable(database, table, () => !signal?.aborted);
  }

  private async copyBlocks(): Promise<void> {
    const { flatState, onProgress, signal } = this.options;
    const copied = this.copiedTo();
    if (copied === undefined) return;
    const { number, hash } = copied;
    const { outcome } = this.stored(hash);
    const head = { number, hash, stateRoot: outcome.stateRoot };
    const writer = new FlatStateWriter(this.store.states, new NodeCache(CACHED_NODES), head, flatState);
    const best = this.best().header.number;
    const oldest = numberFact(this.queue, FACTS.oldestState) ?? 0;
    for (let height = Math.max(oldest, number - LATE_BLOCKS) + 1; ; height++) {
      const known = this.store.hashesAt(height);
      if ((known.length === 0 && height > best) || signal?.aborted) break;
      if (height > number && height <= best) await this.write(this.copyBest(writer, this.hashAt(height)));
      for (const side of known) await this.write(this.copySide(writer, side));
      if (height <= best) onProgress?.("blocks", height - oldest, best - oldest);
    }
    await this.write(writer.close());
    await this.queue.idle();
    await this.queue.room();
  }

  private copyBest(writer: FlatStateWriter, hash: Uint8Array): Write[] {
    const { header, outcome } = this.stored(hash);
    const change = { commonAncestor: header.parentHash, removed: [], added: [hash] };
    const writes = this.accept(writer, { header, outcome }, change);
    if (writes.length === 0) throw damaged("state of a block", header.parentHash);
    return [...writes, copiedWrite(header)];
  }

  /** Changes that store the state of a block that is not on the best chain, if that is readable and not stored yet. */
  private copySide(writer: FlatStateWriter, hash: Uint8Array): Write[] {
    const outcome = this.store.outcome(hash);
    const header = this.store.header(hash);
    if (outcome === undefined || header === undefined || !hasState(outcome)) return [];
    const best = this.store.hashAt(header.number);
    if (best !== undefined && equalBytes(best, hash)) return [];
    if (this.queue.get(TABLES.sideDiffs, hash) !== undefined) return [];
    return this.accept(writer, { header, outcome }, undefined);
  }

  private accept(
    writer: FlatStateWriter,
    { header, outcome }: Stored,
    change: Parameters<FlatStateWriter["accept"]>[2],
  ): Write[] {
    const parent = this.stored(header.parentHash);
    const before = writer.after(parent.header, parent.outcome);
    if (before === undefined) return [];
    const state = before.after(trieChanges(this.nodes, before.root, outcome.stateRoot));
    if (!equalBytes(state.root, outcome.stateRoot)) throw damaged("state of a block", header.hash);
    return writer.accept(header, state, change, { isBehind: true });
  }

  private async write(writes: readonly Write[]): Promise<void> {
    if (writes.length === 0) return;
    this.queue.append(writes).catch(() => undefined);
    await this.queue.room();
  }

  private best(): Stored {
    const hash = this.store.bestHash();
    if (hash === undefined) throw damaged("best block", FACTS.best);
    return this.stored(hash);
  }

  private hashAt(number: number): Uint8Array {
    const hash = this.store.hashAt(number);
    if (hash === undefined) throw damaged("hash of the best chain", numberKey(number));
    return hash;
  }

  private stored(hash: Uint8Array): Stored {
    const header = this.store.header(hash);
    const outcome = this.store.outcome(hash);
    if (header === undefined || outcome === undefined) throw damaged("block", hash);
    return { header, outcome };
  }

  /** A node or long value of the archive layout, verified. */
  private archived(hash: Uint8Array): Uint8Array {
    const bytes = this.options.database.get(TABLES.stateNodes, hash);
    if (bytes === undefined || !equalBytes(keccak256(bytes), hash)) throw damaged("node of a state", hash);
    return bytes;
  }
}

function copiedWrite({ number, hash }: BlockHeader): Write {
  return { table: TABLES.facts, key: FACTS.copiedState, value: concatBytes(numberKey(number), hash) };
}

function damaged(what: string, key: Uint8Array): ChainError {
  return new ChainError({ code: "DATABASE_DAMAGED", what, key });
}
