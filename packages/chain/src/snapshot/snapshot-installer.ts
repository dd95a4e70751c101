import { type NetworkConfig, rulesAt } from "@cambium/config";
import { type Database, numberKey, type Write } from "@cambium/database";
import { equalBytes } from "@cambium/primitives";
import type { VerifiedStateChunk } from "@cambium/trie";
import type { Block, BlockHeader } from "@cambium/types";
import { ChainError } from "../errors.js";
import { type ChainOptions, prepareDatabase } from "../open-chain.js";
import { adoptWrites, ChainStore, contentWrites, NO_STATE } from "../store/chain-store.js";
import { chunkOf } from "../store/log-index.js";
import { FACTS, TABLES } from "../store/tables.js";
import { checkContent, earliestWrite, refused, weighParent } from "./snapshot-history.js";
import { progressWrite, readProgress, type SnapshotProgress, type WeighedBlock } from "./snapshot-progress.js";

/** What becomes of a chunk: stored, or found to be another part of the state than it was given for. */
export type ChunkPlacement = "stored" | "misplaced";

/** Opens a database, made where it is empty, for an installation. Rejects as `openChain` does. */
export async function openSnapshotInstaller(
  options: Pick<ChainOptions, "network" | "database" | "genesis">,
): Promise<SnapshotInstaller> {
  const genesis = await prepareDatabase(options);
  return new SnapshotInstaller(options.database, options.network, genesis);
}

/**
 * Puts a state and the blocks around it into a database that has nothing but genesis yet, so that the chain goes on from
 * there. Until {@link finish} the chain does not show anything of it: state nodes and block contents lie under their
 * hashes, where nothing leads. Every step is one atomic batch that tells how far it is, so that an installation that was
 * interrupted goes on where it stopped. No chain may import into the database meanwhile.
 */
export class SnapshotInstaller {
  private readonly store: ChainStore;
  private state: SnapshotProgress | undefined;

  /** Use {@link openSnapshotInstaller}. */
  constructor(
    private readonly database: Database,
    readonly network: NetworkConfig,
    readonly genesis: BlockHeader,
  ) {
    this.store = new ChainStore(database, network);
    this.state = readProgress(database);
  }

  /** Whether the chain is at genesis, so that a snapshot can be installed. */
  get isPossible(): boolean {
    return equalBytes(this.store.bestHash()!, this.genesis.hash);
  }

  get progress(): Readonly<SnapshotProgress> | undefined {
    return this.state;
  }

  /** Of the checkpoint. Throws `NO_SNAPSHOT`. */
  get stateRoot(): Uint8Array {
    return this.checkpointBlock().header.stateRoot;
  }

  /**
   * Begins with a block that is to be the best one. Nothing of an earlier installation counts any more, but its state
   * nodes stay. Rejects with {@link ChainError} `SNAPSHOT_BLOCK` on a block whose header does not tell its state.
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
    await this.advance(progress, contentWrites(block));
  }

  /** Gives an installation up; its state nodes stay. */
  async abandon(): Promise<void> {
    await this.database.write([{ table: TABLES.facts, key: FACTS.snapshotProgress, value: undefined }]);
    this.state = undefined;
  }

  /** Remembers that all headers from the checkpoint down to this one were verified. */
  async noteHeaders(number: number, hash: Uint8Array): Promise<void> {
    await this.advance({ ...this.required(), headers: { number, hash } }, []);
  }

  /**
   * Stores the chunk that begins where `progress.nextChunk` says; `to` is where it ends. A chunk without complete nodes
   * does not always prove where it belongs; what was stored before tells how far the node goes that it must be inside of.
   */
  async saveChunk(chunk: VerifiedStateChunk, to: number): Promise<ChunkPlacement> {
    const progress = this.required();
    if (chunk.start === undefined && to > progress.nextEnd) return "misplaced";
    const writes: Write[] = [];
    chunk.save({ put: (key, value) => writes.push({ table: TABLES.stateNodes, key, value }) });
    const { end: position = progress.position, nextEnd = progress.nextEnd, stateSize } = chunk;
    const nextChunk = chunk.complete ? undefined : to;
    await this.advance({ ...progress, nextChunk, position, nextEnd, stateSize }, writes);
    return "stored";
  }

  /** The block that {@link addBlocks} takes next. Throws `NO_SNAPSHOT`. */
  nextBlock(): WeighedBlock {
    const { earliest } = this.required();
    return weighParent(this.contentOf(earliest.hash), earliest);
  }

  /** Stores blocks downwards from the lowest one that is stored. Rejects as `SnapshotHistory.add`. */
  async addBlocks(blocks: readonly Block[]): Promise<void> {
    const progress = this.required();
    const writes: Write[] = [];
    let earliest = progress.earliest;
    let expected = this.nextBlock();
    for (const block of blocks) {
      if (expected.number === 0) break;
      checkContent(block, expected, this.network);
      writes.push(...contentWrites(block));
      earliest = expected;
      expected = weighParent(block, expected);
    }
    await this.advance({ ...progress, earliest }, writes);
  }

  /**
   * Makes the checkpoint the best block of a chain that begins with the lowest stored block: one batch of small records.
   * Rejects with {@link ChainError} `NO_SNAPSHOT` while the state is not complete, `HISTORY_MISMATCH` as
   * `SnapshotHistory.add`.
   */
  async finish(): Promise<void> {
    const { checkpoint, nextChunk, earliest } = this.required();
    if (nextChunk !== undefined) throw new ChainError({ code: "NO_SNAPSHOT" });
    const { stateRoot } = this;
    const writes: Write[] = [];
    let at = checkpoint;
    for (let isLowest = false; !isLowest; ) {
      isLowest = at.number === earliest.number;
      const block = this.contentOf(at.hash);
      const root = at === checkpoint ? stateRoot : NO_STATE;
      const standing = { stateRoot: root, totalDifficulty: at.totalDifficulty };
      writes.push(...this.store.standingWrites(block.header, standing), ...adoptWrites(block));
      at = weighParent(block, at);
    }
    writes.push(
      earliestWrite(at, this.store),
      { table: TABLES.facts, key: FACTS.snapshot, value: numberKey(checkpoint.number) },
      { table: TABLES.facts, key: FACTS.best, value: checkpoint.hash },
      { table: TABLES.facts, key: FACTS.logChunks, value: numberKey(firstLogChunk(checkpoint.number)) },
      { table: TABLES.facts, key: FACTS.snapshotProgress, value: undefined },
    );
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

  private async advance(progress: SnapshotProgress, writes: readonly Write[]): Promise<void> {
    await this.database.write([...writes, progressWrite(progress)]);
    this.state = progress;
  }
}

/** The log index begins with the chunk of the first block that is executed here. */
function firstLogChunk(checkpoint: number): number {
  return chunkOf(checkpoint + 1);
}
