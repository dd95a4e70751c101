import { type BlockOutcome, ChainStore, FACTS, hasState, numberFact, TABLES } from "@cambium/chain-store";
import { rulesAt } from "@cambium/config";
import { numberKey, readNumber } from "@cambium/database";
import { equalBytes, joinBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { DatabaseCheck } from "../check/check-database.js";
import { isDerived } from "../check/database-problem.js";
import type { BlockList } from "./block-list.js";
import type { RebuildParts } from "./sound-blocks.js";

/** A stored block and its outcome. */
export interface SoundBlock {
  header: BlockHeader;
  outcome: BlockOutcome;
}

/** Tables with results of a block that neither other blocks nor the state share. */
const RESULTS = [TABLES.outcomes, TABLES.receipts] as const;

/**
 * Removes the results of all blocks that are incomplete or have an incomplete ancestor. Afterwards, a block with an
 * outcome is sound, except for its state.
 */
export async function removeUnsoundResults(parts: RebuildParts, candidates: BlockList): Promise<void> {
  const { database, network, onProgress, signal } = parts;
  const store = new ChainStore(database, network);
  const check = new DatabaseCheck(database, network, false);
  const earliest = numberFact(database, FACTS.earliest) ?? 0;
  let done = 0;
  for (const { number, hashes } of candidates.byNumber()) {
    for (const hash of hashes) {
      signal?.throwIfAborted();
      if (!isSound(number, hash)) await removeResults(parts, hash);
      onProgress(++done, candidates.size);
    }
  }

  function isSound(number: number, hash: Uint8Array): boolean {
    const header = store.header(hash)!;
    const isLowest = number === 0 ? equalBytes(store.hashAt(0)!, hash) : number === earliest;
    if (!isLowest && (number === 0 || store.outcome(header.parentHash) === undefined)) return false;
    check.block(number, hash);
    const found = check.result.problems.splice(0);
    if (!found.every(isDerived)) return false;
    const outcome = store.outcome(hash)!;
    // The header tells the expected root (`spec/02 §5.7`).
    const isInHeader = number > 0 && hasState(outcome) && rulesAt(network, number).rskip126;
    return !isInHeader || equalBytes(outcome.stateRoot, header.stateRoot);
  }
}

export async function removeResults({ database }: RebuildParts, hash: Uint8Array): Promise<void> {
  await database.write(RESULTS.map((table) => ({ table, key: hash, value: undefined })));
}

/**
 * Returns the number of the block to which the flat table most likely belongs: the highest that was the best one, as
 * far as that can be read.
 */
export async function previousBest({ database, network }: RebuildParts): Promise<number> {
  const store = new ChainStore(database, network);
  const hash = store.bestHash();
  let highest = (hash && store.header(hash)?.number) ?? 0;
  for await (const { key } of database.entries(TABLES.bestChain)) highest = Math.max(highest, readNumber(key, 0));
  return highest;
}

/**
 * Returns the highest sound block with a state among the previous best block, or that at height `from`, and its
 * ancestors. Genesis is the last resort.
 */
export function highestSound({ database, network }: RebuildParts, from: number): SoundBlock {
  const store = new ChainStore(database, network);
  let hash = store.bestHash();
  const start = (hash && store.header(hash)?.number) ?? from;
  for (let number = start; number > 0; number--) {
    const header = hash && store.header(hash);
    const outcome = header && store.outcome(header.hash);
    if (outcome !== undefined && hasState(outcome)) return { header: header!, outcome };
    hash = header?.parentHash ?? store.hashAt(number - 1);
  }
  const genesis = store.hashAt(0)!;
  return { header: store.header(genesis)!, outcome: store.outcome(genesis)! };
}

/** Removes blocks without an outcome from the index of siblings. */
export async function correctSiblings(parts: RebuildParts, candidates: BlockList): Promise<void> {
  const { database, network } = parts;
  const store = new ChainStore(database, network);
  const isSound = (hash: Uint8Array) => store.outcome(hash) !== undefined;
  for await (const { key, value } of database.entries(TABLES.siblings)) {
    if (value.length % 32 === 0 && isSound(value.slice(0, 32))) continue;
    await database.write([{ table: TABLES.siblings, key: key.slice(), value: undefined }]);
  }
  for (const { number, hashes } of candidates.byNumber()) {
    const sound = hashes.filter(isSound);
    const known = store.hashesAt(number);
    const isSame = known.length === sound.length && sound.every((hash) => known.some((one) => equalBytes(one, hash)));
    if (isSame) continue;
    const value = sound.length === 0 ? undefined : joinBytes(sound);
    await database.write([{ table: TABLES.siblings, key: numberKey(number), value }]);
  }
}
