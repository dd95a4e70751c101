import { join } from "node:path";
import { SnapshotInstaller } from "@cambium/chain";
import type { StateLayout, WeighedBlock } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database, Write } from "@cambium/database";
import { Block } from "@cambium/types";
import { ArchiveBlocks } from "./archive-blocks.js";
import { type ElementKind, readElements } from "./archive-elements.js";
import type { ArchiveData } from "./archive-file.js";
import { ArchiveState, type StatePart } from "./archive-state.js";
import { malformed, PublishedStateError } from "./errors.js";
import { HashFile } from "./hash-file.js";
import { NodeFile } from "./node-file.js";

/** Result of an installation. */
export interface InstalledState {
  /** The newest block, after which the chain continues. */
  best: WeighedBlock;
  /** Number of the oldest block whose work was verified. */
  earliest: number;
}

export interface PublishedStateOptions {
  network: NetworkConfig;
  database: Database;
  /** Folder for temporary files, which take as much room as the unpacked archive. */
  folder: string;
  /** Number of the newest block, if it is known. */
  height?: number;
  stateLayout?: StateLayout;
  signal?: AbortSignal;
  /** Called with the share of a phase that is done, from 0 to 1. */
  onProgress?: (phase: "verify" | "install", share: number) => void;
}

/** Changes of the state that are written together; and blocks. Either are fewer if they have that many bytes. */
const BATCH = 1_000;
const BATCH_BYTES = 4 * 2 ** 20;
const BLOCK_BATCH = 100;
/** Share of the installation that the values take; the nodes take the rest. */
const VALUES_SHARE = 0.75;

/**
 * Verifies an archive of published state (`spec/10 §4`) and installs it, so that the chain continues from there. The
 * database may contain at most genesis. Rejects with {@link PublishedStateError}, with `ChainError` as
 * {@link SnapshotInstaller} does, with file errors, with `ThreadError`, or if `signal` aborts. The database then has no
 * block above genesis.
 */
export async function installPublishedState(
  data: ArchiveData,
  options: PublishedStateOptions,
): Promise<InstalledState> {
  const installer = await SnapshotInstaller.open(options);
  const files: { close(): void }[] = [];
  const open = <T extends { close(): void }>(File: new (path: string) => T, name: string): T => {
    const file = new File(join(options.folder, `published-${name}.tmp`));
    files.push(file);
    return file;
  };
  try {
    const blocks = open(HashFile, "blocks");
    const state = new ArchiveState(open(HashFile, "nodes"), open(HashFile, "values"));
    return await new Installation(installer, options, blocks, state, open(NodeFile, "trie")).run(data);
  } finally {
    for (const file of files) file.close();
  }
}

class Installation {
  private readonly blocks: ArchiveBlocks;

  constructor(
    private readonly installer: SnapshotInstaller,
    private readonly options: PublishedStateOptions,
    private readonly contents: HashFile,
    private readonly state: ArchiveState,
    /** Nodes that are written after the values. */
    private readonly nodes: NodeFile,
  ) {
    this.blocks = new ArchiveBlocks(options.network, installer.genesis);
  }

  async run(data: ArchiveData): Promise<InstalledState> {
    await this.read(data);
    const newest = this.blocks.newest!;
    const best = this.blocks.chain.at(-1)!;
    await this.installer.begin(newest, best.totalDifficulty);
    try {
      await this.installState(newest.header.stateRoot);
      await this.installBlocks();
      await this.installer.finish();
    } catch (error) {
      await this.installer.abandon();
      throw error;
    }
    return { best, earliest: this.blocks.chain[0]!.number };
  }

  private async read(data: ArchiveData): Promise<void> {
    const { signal, onProgress, height } = this.options;
    try {
      await readElements(
        data,
        (kind, payload, isList) => this.take(kind, payload, isList),
        (bytes) => {
          signal?.throwIfAborted();
          onProgress?.("verify", bytes / data.size);
        },
      );
      await this.state.finish();
    } finally {
      await this.state.close();
    }
    signal?.throwIfAborted();
    const actual = this.blocks.chain.at(-1)?.number;
    if (actual === undefined) throw malformed(data.size, "no block above genesis");
    if (!this.state.isPresent) throw malformed(data.size, "no node");
    if (height !== undefined && actual !== height) {
      throw new PublishedStateError({ code: "ARCHIVE_HEIGHT", expected: height, actual });
    }
    this.blocks.requireEnough();
    this.contents.seal();
  }

  private take(kind: ElementKind, payload: Uint8Array, isList: boolean): Promise<void> | undefined {
    if (kind === "block") {
      const { hash, encoded } = this.blocks.add(payload, isList);
      this.contents.add(hash, encoded);
      return undefined;
    }
    if (isList)
      throw new PublishedStateError({ code: "ARCHIVE_STATE", reason: `a ${kind} is a list`, hash: undefined });
    return kind === "node" ? this.state.addNode(payload) : this.state.addValue(payload);
  }

  private async installState(root: Uint8Array): Promise<void> {
    const { installer, options } = this;
    let writes: Write[] = [];
    let sink = installer.stateSink(writes);
    let bytes = 0;
    // While a batch is written, the next one is read.
    let written: Promise<void> = Promise.resolve();
    try {
      for (const part of this.parts(root)) {
        if (part.kind === "node") sink.node(part.content, part.hash, part.place);
        else sink.value(part.content, part.key, part.hash);
        bytes += part.content.length;
        if (writes.length < BATCH && bytes < BATCH_BYTES) continue;
        await written;
        written = installer.saveState(writes, false);
        written.catch(() => undefined);
        writes = [];
        sink = installer.stateSink(writes);
        bytes = 0;
        options.signal?.throwIfAborted();
        options.onProgress?.("install", VALUES_SHARE * this.state.share + (1 - VALUES_SHARE) * this.nodes.share);
      }
    } finally {
      await written;
    }
    await installer.saveState(writes, true);
  }

  /**
   * Yields the values, then the nodes, each in the order of their keys: LevelDB then writes most tables once instead of
   * merging them again and again.
   */
  private *parts(root: Uint8Array): Generator<StatePart> {
    for (const part of this.state.rebuild(root, this.installer.packedLimit)) {
      if (part.kind === "node") this.nodes.add(part);
      else yield part;
    }
    yield* this.nodes.read();
  }

  private async installBlocks(): Promise<void> {
    const { chain } = this.blocks;
    let batch: Block[] = [];
    let bytes = 0;
    for (let at = chain.length - 2; at >= 0; at--) {
      const encoded = this.contents.use(chain[at]!.hash)!;
      batch.push(Block.decode(encoded, this.options.network));
      bytes += encoded.length;
      if (batch.length < BLOCK_BATCH && bytes < BATCH_BYTES && at > 0) continue;
      await this.installer.addBlocks(batch);
      batch = [];
      bytes = 0;
    }
  }
}
