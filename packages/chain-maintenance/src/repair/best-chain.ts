import {
  adoptWrites,
  ChainError,
  ChainStore,
  chunkOf,
  FACTS,
  LogIndexWriter,
  numberFact,
  TABLES,
} from "@cambium/chain-store";
import { type Database, numberKey, readNumber } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { BoundedWriter } from "./bounded-writer.js";
import type { RebuildParts } from "./sound-blocks.js";

/** Makes a sound block the best one: rebuilds the index of the best chain, of its transactions and of its logs. */
export async function rebuildBestChain(parts: RebuildParts, best: BlockHeader): Promise<void> {
  const { database } = parts;
  const writer = new BoundedWriter(database);
  await writer.append([{ table: TABLES.facts, key: FACTS.best, value: best.hash }]);
  await removeLogIndex(database, writer);
  await removeAbove(database, best.number, writer);
  await writer.flush();
  await correctBestChain(parts, best);
  await indexBlocks(parts, best.number, writer);
  await writer.flush();
}

/** Corrects the index of the best chain from a block, which is on it, down to the lowest one. */
export async function correctBestChain(parts: RebuildParts, block: BlockHeader): Promise<void> {
  const writer = new BoundedWriter(parts.database);
  await linkDown(parts, block, writer);
  await writer.flush();
}

async function removeLogIndex(database: Database, writer: BoundedWriter): Promise<void> {
  for (const table of [TABLES.logChunks, TABLES.logSpans]) {
    for await (const { key } of database.entries(table)) {
      await writer.append([{ table, key: key.slice(), value: undefined }]);
    }
  }
  const snapshot = numberFact(database, FACTS.snapshot);
  const value = snapshot === undefined ? undefined : numberKey(chunkOf(snapshot + 1));
  await writer.append([{ table: TABLES.facts, key: FACTS.logChunks, value }]);
}

async function removeAbove(database: Database, best: number, writer: BoundedWriter): Promise<void> {
  for await (const { key } of database.entries(TABLES.bestChain)) {
    if (readNumber(key, 0) <= best) continue;
    await writer.append([{ table: TABLES.bestChain, key: key.slice(), value: undefined }]);
  }
}

async function linkDown({ database, network }: RebuildParts, best: BlockHeader, writer: BoundedWriter): Promise<void> {
  const store = new ChainStore(database, network);
  const lowest = numberFact(database, FACTS.earliest) ?? 1;
  for (let header = best; header.number >= lowest; ) {
    const { number, hash, parentHash } = header;
    const indexed = store.hashAt(number);
    if (indexed === undefined || !equalBytes(indexed, hash)) {
      await writer.append([{ table: TABLES.bestChain, key: numberKey(number), value: hash }]);
    }
    if (number === lowest) return;
    header = required(store.header(parentHash), parentHash);
  }
}

async function indexBlocks(parts: RebuildParts, best: number, writer: BoundedWriter): Promise<void> {
  const { database, network, onProgress, signal } = parts;
  const store = new ChainStore(database, network);
  const index = new LogIndexWriter(database);
  const firstOpen = index.firstOpenBlock;
  for (let number = numberFact(database, FACTS.earliest) ?? 1; number <= best; number++) {
    signal?.throwIfAborted();
    const hash = required(store.hashAt(number), numberKey(number));
    const block = required(store.block(hash), hash);
    await writer.append(adoptWrites(block));
    const receipts = store.receipts(hash);
    if (receipts !== undefined && number >= firstOpen) {
      const writes = index.add(number, receipts);
      // The index reads its own writes.
      if (writes.length > 0) await writer.append(writes).then(() => writer.flush());
    }
    onProgress(number, best);
  }
}

function required<T>(value: T | undefined, key: Uint8Array): T {
  if (value === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "block of the best chain", key });
  return value;
}
