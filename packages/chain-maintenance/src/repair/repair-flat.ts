import { type Chain, genesisWrites, localBlock, openChain } from "@cambium/chain";
import {
  ChainStore,
  clearTable,
  FACTS,
  FLAT_TABLES,
  isTombstoneKey,
  removeFlatState,
  TABLES,
  TOMBSTONE_WRITE,
} from "@cambium/chain-store";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { Block } from "@cambium/types";
import { correctBestChain, rebuildBestChain } from "./best-chain.js";
import type { BlockList } from "./block-list.js";
import type { RepairStep } from "./repair-step.js";
import { type SalvagedState, type SalvageParts, salvageState } from "./salvage-state.js";
import { attempt, deletion, knownBlocks, type RebuildParts, type SoundBlocks } from "./sound-blocks.js";
import { correctSiblings, highestSound, previousBest, removeResults, removeUnsoundResults } from "./sound-results.js";

/** Tables with data about blocks besides their content. */
const RESULTS = [
  TABLES.outcomes,
  TABLES.receipts,
  TABLES.bestChain,
  TABLES.siblings,
  TABLES.transactionIndex,
  TABLES.logChunks,
  TABLES.logSpans,
] as const;

const RESULT_FACTS = [FACTS.logChunks, FACTS.earliest, FACTS.snapshot, FACTS.oldestState] as const;

type Genesis = Parameters<typeof genesisWrites>[0]["genesis"];

/**
 * Repairs the flat layout: completes the state of the highest possible block, or goes back to genesis, and executes the
 * stored blocks after it. Deletes the data of blocks that cannot be executed.
 */
export async function repairFlat(parts: SalvageParts, genesis: Genesis): Promise<SoundBlocks> {
  const candidates = await knownBlocks(inStep(parts, "checking"));
  const options = { network: parts.network, stateLayout: "flat" as const, ...(genesis && { genesis }) };
  const state = await salvage(parts, candidates, options);
  if (state === undefined) {
    parts.onDecision("all stored blocks are executed again from genesis");
    await removeAllResults(parts, options);
  } else await keepBlocks(parts, candidates, state);
  const { database, evm, profile, now } = parts;
  const chain = await openChain({ ...options, database: withoutClosing(database), evm, profile, now });
  const result = await importStored(inStep(parts, "executing"), candidates, chain);
  await chain.close();
  return result;
}

async function salvage(
  parts: SalvageParts,
  candidates: BlockList,
  options: Parameters<typeof genesisWrites>[0],
): Promise<SalvagedState | undefined> {
  const { database, onDecision } = parts;
  const checking = inStep(parts, "checking");
  await database.write(genesisWrites(options).filter(({ table, key }) => !isState(table, key)));
  await noteTombstones(database);
  await removeUnsoundResults(checking, candidates);
  const from = await previousBest(checking);
  const target = highestSound(checking, from);
  if (target.header.number === 0) {
    onDecision("no block above genesis is complete with all blocks below it");
    return undefined;
  }
  await correctBestChain(checking, target.header);
  return salvageState(parts, from, target);
}

/**
 * The schema version may be an older one than the flat table needs. The storages that tombstones hide leave the
 * history.
 */
async function noteTombstones(database: RebuildParts["database"]): Promise<void> {
  for await (const { key } of database.entries(TABLES.flatState)) {
    if (!isTombstoneKey(key)) continue;
    await database.write([TOMBSTONE_WRITE, { table: TABLES.sweptStorages, key: key.slice(), value: EMPTY_BYTES }]);
  }
}

/** Whether an entry belongs to the state, or names the best block. */
function isState(table: number, key: Uint8Array): boolean {
  const isFact = table === TABLES.facts && [FACTS.best, FACTS.trieBlock].some((fact) => equalBytes(fact, key));
  return isFact || FLAT_TABLES.some((one) => one === table);
}

/**
 * Makes a block the best one. The results of later blocks, and of blocks outside the best chain, are removed if they
 * can be computed again.
 */
async function keepBlocks(parts: SalvageParts, candidates: BlockList, { block, oldest }: SalvagedState): Promise<void> {
  const { database, network } = parts;
  const { number: best } = block.header;
  const store = new ChainStore(database, network);
  const indexing = inStep(parts, "indexing");
  for (const { number, hashes } of candidates.byNumber()) {
    if (number <= oldest) continue;
    const kept = number <= best ? store.hashAt(number) : undefined;
    for (const hash of hashes) if (kept === undefined || !equalBytes(hash, kept)) await removeResults(indexing, hash);
  }
  await correctSiblings(indexing, candidates);
  await rebuildBestChain(indexing, block.header);
}

/** Imports the stored blocks without results, as far as they are complete. Deletes the data of all other blocks. */
async function importStored(parts: RebuildParts, candidates: BlockList, chain: Chain): Promise<SoundBlocks> {
  const { database, network, onProgress, signal } = parts;
  const store = new ChainStore(database, network);
  const result = { best: chain.genesis, executed: 0, deleted: 0 };
  let done = 0;
  for (const { number, hashes } of candidates.byNumber()) {
    for (const hash of hashes) {
      signal?.throwIfAborted();
      onProgress(++done, candidates.size);
      if (store.outcome(hash) !== undefined) continue;
      const encoded = number === 0 ? undefined : store.encodedBlock(hash);
      const block = encoded && attempt(() => Block.decode(encoded, network));
      if (block !== undefined) await chain.import(localBlock(block));
      if (store.outcome(hash) !== undefined) result.executed++;
      else {
        await database.write(deletion(hash));
        result.deleted++;
      }
    }
  }
  result.best = chain.best().header;
  return result;
}

/**
 * Deletes everything but genesis. Nothing remains of a chain that started from a snapshot, whose first blocks cannot be
 * executed.
 */
async function removeAllResults(
  { database }: SalvageParts,
  options: Parameters<typeof genesisWrites>[0],
): Promise<void> {
  await database.write(RESULT_FACTS.map((key) => ({ table: TABLES.facts, key, value: undefined })));
  for (const table of RESULTS) await clearTable(database, table);
  await database.write([...(await removeFlatState(database)), ...genesisWrites(options)]);
}

function inStep({ onStep, ...parts }: SalvageParts, step: RepairStep): RebuildParts {
  return { ...parts, onProgress: (done, total) => onStep(step, done, total) };
}

/** The chain, but not the database, is closed at the end. */
function withoutClosing(database: RebuildParts["database"]): RebuildParts["database"] {
  return {
    get: (table, key) => database.get(table, key),
    entries: (table, prefix) => database.entries(table, prefix),
    write: (batch) => database.write(batch),
    close: async () => undefined,
  };
}
