import { equalBytes } from "@cambium/primitives";
import { Block } from "@cambium/types";
import { localBlock } from "../import/block-input.js";
import { genesisWrites, openChain } from "../open-chain.js";
import { clearTable } from "../state/clear-table.js";
import { removeFlatState } from "../state/remove-flat-state.js";
import { ChainStore } from "../store/chain-store.js";
import { FACTS, TABLES } from "../store/tables.js";
import { attempt, deletion, knownBlocks, type RebuildParts, type SoundBlocks } from "./sound-blocks.js";

/** What is stored about blocks besides their content. */
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

/**
 * In the flat layout: removes all results and the state, and executes all blocks again, as far as they are complete. Nothing is left of a
 * chain that started from a snapshot, whose first blocks cannot be executed. What is stored of other blocks is deleted.
 */
export async function executeAgain(
  parts: RebuildParts,
  genesis: Parameters<typeof genesisWrites>[0]["genesis"],
): Promise<SoundBlocks> {
  const { database, network, evm, profile, now, onProgress, signal } = parts;
  const candidates = await knownBlocks(parts);
  await removeResults(parts);
  const options = { network, stateLayout: "flat" as const, ...(genesis && { genesis }) };
  await database.write([...(await removeFlatState(database)), ...genesisWrites(options)]);
  const chain = await openChain({ ...options, database: withoutClosing(parts), evm, profile, now });
  const store = new ChainStore(database, network);
  const result = { best: chain.genesis, executed: 0, deleted: 0 };
  let done = 0;
  for (const { number, hashes } of candidates.byNumber()) {
    for (const hash of hashes) {
      signal?.throwIfAborted();
      onProgress(++done, candidates.size);
      if (equalBytes(hash, chain.genesis.hash)) continue;
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
  await chain.close();
  return result;
}

async function removeResults({ database }: RebuildParts): Promise<void> {
  await database.write(RESULT_FACTS.map((key) => ({ table: TABLES.facts, key, value: undefined })));
  for (const table of RESULTS) await clearTable(database, table);
}

/** The chain, but not the database, is closed at the end. */
function withoutClosing({ database }: RebuildParts): RebuildParts["database"] {
  return {
    get: (table, key) => database.get(table, key),
    entries: (table) => database.entries(table),
    write: (batch) => database.write(batch),
    close: async () => undefined,
  };
}
