import { isBetter, type ValidationProfile, validateBlock } from "@cambium/chain";
import { ArchiveStates, Branch, ChainStore, FACTS, hasState, numberFact, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import { type Database, numberKey, readNumber, type Write } from "@cambium/database";
import type { Evm } from "@cambium/evm";
import { append, CambiumError, equalBytes, joinBytes } from "@cambium/primitives";
import { NodeCache } from "@cambium/trie";
import { Block, BlockHeader } from "@cambium/types";
import { DatabaseCheck } from "../check/check-database.js";
import { isDerived } from "../check/database-problem.js";
import { BlockList } from "./block-list.js";

export interface RebuildParts {
  database: Database;
  network: NetworkConfig;
  evm: Evm;
  profile: ValidationProfile;
  /** Local time in seconds. */
  now: () => number;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal | undefined;
}

/** Result of {@link keepSoundBlocks}. */
export interface SoundBlocks {
  best: BlockHeader;
  /** Number of blocks that were executed again, because a part of their results was missing or wrong. */
  executed: number;
  /** Number of blocks that were deleted. */
  deleted: number;
}

/**
 * Keeps the blocks that are complete, with their state, and whose ancestors are complete as well. A block that lacks
 * results is executed again if its content is complete. All other blocks are deleted. The indexes of the best chain are
 * wrong afterwards.
 */
export async function keepSoundBlocks(parts: RebuildParts): Promise<SoundBlocks> {
  const candidates = await knownBlocks(parts);
  return new Selection(parts).run(candidates);
}

/** Returns the blocks with an intact header. Data about other blocks are deleted. */
export async function knownBlocks({ database, network }: RebuildParts): Promise<BlockList> {
  const list = new BlockList();
  for await (const { key, value } of database.entries(TABLES.headers)) {
    const header = attempt(() => BlockHeader.decode(value, network));
    if (header !== undefined && equalBytes(header.hash, key)) list.add(header.number, header.hash);
    else await database.write([{ table: TABLES.headers, key: key.slice(), value: undefined }]);
  }
  for await (const { key } of database.entries(TABLES.outcomes)) {
    if (database.get(TABLES.headers, key) === undefined) await database.write(deletion(key.slice()));
  }
  return list;
}

const CONTENT = [TABLES.headers, TABLES.transactions, TABLES.uncles] as const;
const RESULTS = [TABLES.outcomes, TABLES.receipts] as const;

export function deletion(key: Uint8Array): Write[] {
  return [...CONTENT, ...RESULTS].map((table) => ({ table, key, value: undefined }));
}

/** Number of decoded state nodes kept for blocks that are executed again. */
const CACHED_NODES = 50_000;

class Selection {
  private readonly result: SoundBlocks;
  private readonly store: ChainStore;
  private readonly states: ArchiveStates;
  private check: DatabaseCheck;
  private bestDifficulty: bigint;
  private readonly earliest: number;
  private readonly snapshot: number;

  constructor(private readonly parts: RebuildParts) {
    const { database, network } = parts;
    this.check = new DatabaseCheck(database, network, true);
    this.store = new ChainStore(database, network);
    this.states = new ArchiveStates(this.store.states, new NodeCache(CACHED_NODES));
    const genesis = this.store.hashAt(0)!;
    this.result = { best: this.store.header(genesis)!, executed: 0, deleted: 0 };
    this.bestDifficulty = this.store.outcome(genesis)!.totalDifficulty;
    this.earliest = numberFact(database, FACTS.earliest) ?? 0;
    this.snapshot = numberFact(database, FACTS.snapshot) ?? 0;
  }

  async run(candidates: BlockList): Promise<SoundBlocks> {
    const { database, onProgress, signal } = this.parts;
    const previous = database.get(TABLES.facts, FACTS.best);
    let done = 0;
    for (const { number, hashes } of candidates.byNumber()) {
      const sound: Uint8Array[] = [];
      for (const hash of hashes) {
        signal?.throwIfAborted();
        if (await this.keep(number, hash)) sound.push(hash);
        onProgress(++done, candidates.size);
      }
      for (const hash of sound) this.consider(hash, previous);
      await this.writeSiblings(number, sound);
    }
    await this.removeOtherSiblings();
    await this.leaveSnapshot();
    return this.result;
  }

  /** Whether a block is sound, or can be made so. Its parent has an outcome only if it is sound. */
  private async keep(number: number, hash: Uint8Array): Promise<boolean> {
    const { database } = this.parts;
    const before = this.check.result.problems.length;
    if (this.hasParent(number, hash)) this.check.block(number, hash);
    const found = this.check.result.problems.splice(before);
    const isSound = this.hasParent(number, hash) && found.every(isDerived);
    if (isSound) return true;
    await database.write(RESULTS.map((table) => ({ table, key: hash, value: undefined })));
    const writes = this.execute(hash);
    if (writes !== undefined) {
      await database.write(writes);
      this.result.executed++;
      return true;
    }
    await database.write(deletion(hash));
    this.result.deleted++;
    // The check noted missing entries as visited, but another block may need them.
    if (found.some(({ kind }) => kind === "state")) this.check = new DatabaseCheck(database, this.parts.network, true);
    return false;
  }

  private hasParent(number: number, hash: Uint8Array): boolean {
    if (number === 0) return equalBytes(this.store.hashAt(0)!, hash);
    if (number === this.earliest) return true;
    const { parentHash } = this.store.header(hash)!;
    return this.store.outcome(parentHash) !== undefined;
  }

  /** The changes that store a block with its results; undefined if it is incomplete or invalid. */
  private execute(hash: Uint8Array): Write[] | undefined {
    const { network, evm, profile, now } = this.parts;
    const { store } = this;
    const encoded = store.encodedBlock(hash);
    const block = encoded && attempt(() => Block.decode(encoded, network));
    const parent = block && store.header(block.header.parentHash);
    const outcome = parent && store.outcome(parent.hash);
    if (block === undefined || parent === undefined || outcome === undefined || !hasState(outcome)) return undefined;
    const branch = new Branch(store, ancestorsOf(parent, store), parent);
    const stateAtParent = this.states.after(parent, outcome);
    if (stateAtParent === undefined) return undefined;
    const parts = { network, evm, profile, now };
    const results = attempt(() => validateBlock({ block, parent, stateAtParent, branch }, parts));
    if (results === undefined) return undefined;
    const totalDifficulty = outcome.totalDifficulty + block.cumulativeDifficulty;
    const { stateRoot, receipts, state } = results;
    return [...this.states.accept(block, state), ...store.blockWrites(block, receipts, { stateRoot, totalDifficulty })];
  }

  /**
   * Makes a block the best one if it is better. Of equal blocks, the previous best one stays. A block without a state
   * cannot be the best one.
   */
  private consider(hash: Uint8Array, previous: Uint8Array | undefined): void {
    const outcome = this.store.outcome(hash)!;
    if (!hasState(outcome)) return;
    const { totalDifficulty } = outcome;
    const header = this.store.header(hash)!;
    const { best } = this.result;
    const isPrevious = previous !== undefined && equalBytes(hash, previous) && totalDifficulty === this.bestDifficulty;
    const wasPrevious =
      previous !== undefined && equalBytes(best.hash, previous) && totalDifficulty === this.bestDifficulty;
    const isBest = isBetter(
      { totalDifficulty, paidFees: header.paidFees, hash },
      { totalDifficulty: this.bestDifficulty, paidFees: best.paidFees, hash: best.hash },
    );
    if (!isPrevious && (wasPrevious || !isBest)) return;
    this.result.best = header;
    this.bestDifficulty = totalDifficulty;
  }

  private async writeSiblings(number: number, sound: readonly Uint8Array[]): Promise<void> {
    const known = this.store.hashesAt(number);
    const isSame = known.length === sound.length && sound.every((hash) => known.some((one) => equalBytes(one, hash)));
    if (isSame) return;
    const value = sound.length === 0 ? undefined : joinBytes(sound);
    await this.parts.database.write([{ table: TABLES.siblings, key: numberKey(number), value }]);
  }

  /** Removes the lists of numbers without any intact header. */
  private async removeOtherSiblings(): Promise<void> {
    const { database } = this.parts;
    for await (const { key, value } of database.entries(TABLES.siblings)) {
      if (value.length % 32 === 0 && this.store.outcome(value.slice(0, 32)) !== undefined) continue;
      await database.write([{ table: TABLES.siblings, key: key.slice(), value: undefined }]);
    }
  }

  /** Goes back to genesis if a snapshot lost its last block: without its state, the chain cannot continue. */
  private async leaveSnapshot(): Promise<void> {
    const { database } = this.parts;
    const facts = [FACTS.snapshotProgress];
    const isLost = this.result.best.number < this.snapshot;
    if (isLost || this.result.best.number < this.earliest) facts.push(FACTS.snapshot, FACTS.earliest);
    if (isLost) {
      this.result.best = this.store.header(this.store.hashAt(0)!)!;
      for await (const { key, value } of database.entries(TABLES.siblings)) {
        if (readNumber(key, 0) > 0) await this.forget(key.slice(), value.slice());
      }
    }
    await database.write(facts.map((key) => ({ table: TABLES.facts, key, value: undefined })));
  }

  private async forget(key: Uint8Array, hashes: Uint8Array): Promise<void> {
    const writes: Write[] = [{ table: TABLES.siblings, key, value: undefined }];
    for (let at = 0; at < hashes.length; at += 32) append(writes, deletion(hashes.slice(at, at + 32)));
    await this.parts.database.write(writes);
    this.result.deleted += hashes.length / 32;
  }
}

/** Undefined if the bytes cannot be decoded or the block is invalid. */
export function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof CambiumError) return undefined;
    throw error;
  }
}

/**
 * Returns a block's ancestors by number, found through parent links as far as they are requested: the index may be
 * wrong.
 */
function ancestorsOf(tip: BlockHeader, store: ChainStore): { get(number: number): BlockHeader | undefined } {
  const headers = [tip];
  return {
    get(number) {
      while (tip.number - headers.length >= number) {
        const parent = store.header(headers.at(-1)!.parentHash);
        if (parent === undefined) return undefined;
        headers.push(parent);
      }
      return headers[tip.number - number];
    },
  };
}
