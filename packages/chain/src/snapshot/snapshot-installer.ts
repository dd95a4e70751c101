import {
  adoptWrites,
  ChainError,
  ChainStore,
  chunkOf,
  contentWrites,
  encodeTrieBlock,
  FACTS,
  layoutOf,
  NO_STATE,
  progressWrite,
  readProgress,
  removeFlatState,
  type SnapshotProgress,
  type StateLayout,
  TABLES,
  verifiedWorkWrite,
  type WeighedBlock,
} from "@cambium/chain-store";
import { type NetworkConfig, rulesAt } from "@cambium/config";
import { type Database, numberKey, type Write } from "@cambium/database";
import { append, equalBytes } from "@cambium/primitives";
import { PACKED_LIMIT, type StateChunkSink, type VerifiedStateChunk } from "@cambium/trie";
import type { Block, BlockHeader } from "@cambium/types";
import { type ChainOptions, prepareDatabase } from "../open-chain.js";
import { chunkSink } from "./chunk-sink.js";
import { checkContent, earliestWrite, refused, weighParent } from "./snapshot-history.js";

/** Result of saving a chunk: stored, or recognised as a part of the state at another offset. */
export type ChunkPlacement = "stored" | "misplaced";

/**
 * Writes a state and its preceding blocks to a database that contains only genesis, so that the chain continues from
 * there.
 *
 * Until {@link finish}, the chain shows none of it. Block contents are stored under their hashes, to which nothing
 * refers, as are state nodes in the archive layout. In the flat layout, the database has no state until then. Every
 * step is an atomic batch that also records the progress, so that an interrupted installation resumes where it stopped.
 * No chain may import into the database during the installation.
 */
export class SnapshotInstaller {
  private readonly store: ChainStore;
  private readonly layout: StateLayout;
  private state: SnapshotProgress | undefined;

  /** Opens a database for an installation; an empty one gets the genesis block first. Rejects as `openChain` does. */
  static async open(
    options: Pick<ChainOptions, "network" | "database" | "genesis" | "stateLayout">,
  ): Promise<SnapshotInstaller> {
    const genesis = await prepareDatabase(options);
    return new SnapshotInstaller(options.database, options.network, genesis);
  }

  private constructor(
    private readonly database: Database,
    readonly network: NetworkConfig,
    readonly genesis: BlockHeader,
  ) {
    this.store = new ChainStore(database, network);
    this.layout = layoutOf(database);
    this.state = readProgress(database);
  }

  /** Whether a snapshot can be installed: the chain must consist of genesis only. */
  get isPossible(): boolean {
    return equalBytes(this.store.bestHash()!, this.genesis.hash);
  }

  get progress(): Readonly<SnapshotProgress> | undefined {
    return this.state;
  }

  /** Maximum size of a subtree that the layout stores as one record; 0 if it stores each node. */
  get packedLimit(): number {
    return this.layout === "flat" ? PACKED_LIMIT : 0;
  }

  /** State root of the checkpoint. Throws {@link ChainError} `NO_SNAPSHOT` if no installation is in progress. */
  get stateRoot(): Uint8Array {
    return this.checkpointBlock().header.stateRoot;
  }

  /**
   * Starts the installation of a checkpoint, the future best block. Discards the progress of an earlier installation,
   * and in the flat layout the state. Rejects with {@link ChainError} `SNAPSHOT_BLOCK` if the header does not commit to
   * its state.
   */
  async begin(block: Block, totalDifficulty: bigint): Promise<void> {
    if (!this.isPossible) throw refused(block, "the chain already has blocks after genesis");
    if (!rulesAt(this.network, block.number).rskip126)
      throw refused(block, "its header does not commit to this state trie (before RSKIP-126)");
    const { number, hash } = block;
    const checkpoint = { number, hash, totalDifficulty };
    checkContent(block, checkpoint, this.network);
    weighParent(block, checkpoint);
    const headers = { number, hash };
    const progress = { checkpoint, headers, nextChunk: 0, position: 0, nextEnd: 0, stateSize: 0, earliest: checkpoint };
    await this.advance(progress, [...(await this.removeState(number)), ...contentWrites(block)]);
  }

  /** A value left over from another state would be wrong. */
  private async removeState(checkpoint: number): Promise<Write[]> {
    if (this.layout === "archive") return [];
    const oldest = { table: TABLES.facts, key: FACTS.oldestState, value: numberKey(checkpoint) };
    return removeFlatState(this.database, [oldest]);
  }

  /** Aborts an installation; the stored part of the state remains. */
  async abandon(): Promise<void> {
    await this.database.write([{ table: TABLES.facts, key: FACTS.snapshotProgress, value: undefined }]);
    this.state = undefined;
  }

  /** Records that all headers from the checkpoint down to the one with this number are verified. */
  async noteHeaders(number: number, hash: Uint8Array): Promise<void> {
    await this.advance({ ...this.required(), headers: { number, hash } }, []);
  }

  /**
   * Stores the chunk that starts at `progress.nextChunk` and ends at `to`. A chunk without complete nodes does not
   * always prove its position; the chunks stored before determine the node that must contain it.
   */
  async saveChunk(chunk: VerifiedStateChunk, to: number): Promise<ChunkPlacement> {
    const progress = this.required();
    if (chunk.start === undefined && to > progress.nextEnd) return "misplaced";
    const writes: Write[] = [];
    chunk.save(chunkSink(this.layout, progress.checkpoint.number, writes));
    const { end: position = progress.position, nextEnd = progress.nextEnd, stateSize } = chunk;
    const nextChunk = chunk.complete ? undefined : to;
    await this.advance({ ...progress, nextChunk, position, nextEnd, stateSize }, writes);
    return "stored";
  }

  /** Returns a sink that adds the changes for a part of the state to `writes`. Throws as {@link saveState} does. */
  stateSink(writes: Write[]): StateChunkSink {
    return chunkSink(this.layout, this.required().checkpoint.number, writes);
  }

  /**
   * Stores a part of the state that was verified as a whole, not by chunks. Only a complete state counts as progress.
   * Throws {@link ChainError} `NO_SNAPSHOT`.
   */
  saveState(writes: readonly Write[], isComplete: boolean): Promise<void> {
    return this.advance({ ...this.required(), nextChunk: isComplete ? undefined : 0 }, writes);
  }

  /** The block that {@link addBlocks} expects next. Throws {@link ChainError} `NO_SNAPSHOT`. */
  nextBlock(): WeighedBlock {
    const { earliest } = this.required();
    return weighParent(this.contentOf(earliest.hash), earliest);
  }

  /** Stores blocks in descending order from the lowest stored one. Rejects as `SnapshotHistory.add` does. */
  async addBlocks(blocks: readonly Block[]): Promise<void> {
    const progress = this.required();
    const writes: Write[] = [];
    let earliest = progress.earliest;
    let expected = this.nextBlock();
    for (const block of blocks) {
      if (expected.number === 0) break;
      checkContent(block, expected, this.network);
      append(writes, contentWrites(block));
      earliest = expected;
      expected = weighParent(block, expected);
    }
    await this.advance({ ...progress, earliest }, writes);
  }

  /**
   * Makes the checkpoint the best block of a chain that starts with the lowest stored block, in one small batch.
   * Rejects with {@link ChainError} `NO_SNAPSHOT` if the state is incomplete, and with `HISTORY_MISMATCH` as
   * `SnapshotHistory.add` does.
   */
  async finish(): Promise<void> {
    const { checkpoint, nextChunk, earliest, headers } = this.required();
    if (nextChunk !== undefined) throw new ChainError({ code: "NO_SNAPSHOT" });
    const { stateRoot } = this;
    const writes: Write[] = [];
    let at = checkpoint;
    for (let isLowest = false; !isLowest; ) {
      isLowest = at.number === earliest.number;
      const block = this.contentOf(at.hash);
      const root = at === checkpoint ? stateRoot : NO_STATE;
      const outcome = { stateRoot: root, totalDifficulty: at.totalDifficulty };
      append(writes, this.store.outcomeWrites(block.header, outcome));
      append(writes, adoptWrites(block));
      at = weighParent(block, at);
    }
    writes.push(
      earliestWrite(at, this.store),
      { table: TABLES.facts, key: FACTS.snapshot, value: numberKey(checkpoint.number) },
      { table: TABLES.facts, key: FACTS.best, value: checkpoint.hash },
      { table: TABLES.facts, key: FACTS.logChunks, value: numberKey(firstLogChunk(checkpoint.number)) },
      { table: TABLES.facts, key: FACTS.snapshotProgress, value: undefined },
    );
    if (headers.number < earliest.number) {
      writes.push(verifiedWorkWrite({ ...headers, least: 0n, most: earliest.totalDifficulty, isComplete: true }));
    }
    if (this.layout === "flat") {
      const value = encodeTrieBlock({ number: checkpoint.number, hash: checkpoint.hash, root: stateRoot });
      writes.push({ table: TABLES.facts, key: FACTS.trieBlock, value });
    }
    await this.database.write(writes);
    this.state = undefined;
  }

  private required(): SnapshotProgress {
    if (this.state === undefined) throw new ChainError({ code: "NO_SNAPSHOT" });
    return this.state;
  }

  private checkpointBlock(): Block {
    return this.contentOf(this.required().checkpoint.hash);
  }

  private contentOf(hash: Uint8Array): Block {
    const block = this.store.block(hash);
    if (block === undefined) throw new ChainError({ code: "DATABASE_DAMAGED", what: "block of a snapshot", key: hash });
    return block;
  }

  /** Keeps no reference to the changes while they are written, so that their memory is soon free. */
  private advance(progress: SnapshotProgress, writes: readonly Write[]): Promise<void> {
    return this.database.write([...writes, progressWrite(progress)]).then(() => {
      this.state = progress;
    });
  }
}

/** The log index starts with the chunk of the first block that this node executes. */
function firstLogChunk(checkpoint: number): number {
  return chunkOf(checkpoint + 1);
}
