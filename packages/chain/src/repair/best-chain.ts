import { type Database, numberKey, readNumber, type Write } from "@cambium/database";
import { append, equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { ChainError } from "../errors.js";
import { adoptWrites, ChainStore } from "../store/chain-store.js";
import { chunkOf, LogIndexWriter } from "../store/log-index.js";
import { FACTS, numberFact, TABLES } from "../store/tables.js";
import type { RebuildParts } from "./sound-blocks.js";

/** Changes written together: enough to be fast, little enough for a small machine. */
const BATCH = 5_000;

/** Collects changes that need not be atomic. */
class Batches {
  private writes: Write[] = [];

  constructor(private readonly database: Database) {}

  async add(writes: readonly Write[]): Promise<void> {
    append(this.writes, writes);
    if (this.writes.length >= BATCH) await this.flush();
  }

  async flush(): Promise<void> {
    await this.database.write(this.writes);
    this.writes = [];
  }
}

/** Makes a sound block the best one: rebuilds the index of the best chain, of its transactions and of its logs. */
export async function rebuildBestChain(parts: RebuildParts, best: BlockHeader): Promise<void> {
  const { database } = parts;
  const batches = new Batches(database);
  await batches.add([{ table: TABLES.facts, key: FACTS.best, value: best.hash }]);
  await removeLogIndex(database, batches);
  await removeAbove(database, best.number, batches);
  await batches.flush();
  await correctBestChain(parts, best);
  await indexBlocks(parts, best.number, batches);
  await batches.flush();
}

/** Corrects the index of the best chain from a block, which is on it, down to the lowest one. */
export async function correctBestChain(parts: RebuildParts, block: BlockHeader): Promise<void> {
  const batches = new Batches(parts.database);
  await linkDown(parts, block, batches);
  await batches.flush();
}

async function removeLogIndex(database: Database, batches: Batches): Promise<void> {
  for (const table of [TABLES.logChunks, TABLES.logSpans]) {
    for await (const { key } of database.entries(table)) {
      await batches.add([{ table, key: key.slice(), value: undefined }]);
    }
  }
  const snapshot = numberFact(database, FACTS.snapshot);
  const value = snapshot === undefined ? undefined : numberKey(chunkOf(snapshot + 1));
  await batches.add([{ table: TABLES.facts, key: FACTS.logChunks, value }]);
}

async function removeAbove(database: Database, best: number, batches: Batches): Promise<void> {
  for await (const { key } of database.entries(TABLES.bestChain)) {
    if (readNumber(key, 0) <= best) continue;
    await batches.add([{ table: TABLES.bestChain, key: key.slice(), value: undefined }]);
  }
}

async function linkDown({ database, network }: RebuildParts, best: BlockHeader, batches: Batches): Promise<void> {
  const store = new ChainStore(database, network);
  const lowest = numberFact(database, FACTS.earliest) ?? 1;
  for (let header = best; header.number >= lowest; ) {
    const { number, hash, parentHash } = header;
    const indexed = store.hashAt(number);
    if (indexed === undefined || !equalBytes(indexed, hash)) {
      await batches.add([{ table: TABLES.bestChain, key: numberKey(number), value: hash }]);
    }
    if (number === lowest) return;
    header = required(store.header(parentHash), parentHash);
  }
}

async function indexBlocks(parts: RebuildParts, best: number, batches: Batches): Promise<void> {
  const { database, network, onProgress, signal } = parts;
  const store = new ChainStore(database, network);
  const index = new LogIndexWriter(database);
  const firstOpen = index.firstOpenBlock;
  for (let number = numberFact(database, FACTS.earliest) ?? 1; number <= best; number++) {
    signal?.throwIfAborted();
    const hash = required(store.hashAt(number), numberKey(number));
    const block = required(store.block(hash), hash);
    await batches.add(adoptWrites(block));
    const receipts = store.receipts(hash);
    if (receipts !== undefined && number >= firstOpen) {
      const writes = index.add(number, receipts);
      // The index reads what it has written.
      if (writes.length > 0) await batches.add(writes).then(() => batches.flush());
    }
    onProgress(number, best);
  }
}

function required<T>(value: T | undefined, key: Uint8Array): T {
  if (value === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "block of the best chain", key });
  return value;
}
