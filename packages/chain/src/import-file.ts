import { statSync } from "node:fs";
import { CambiumError, decodeRlpList, equalBytes } from "@cambium/primitives";
import { Block, BlockHeader } from "@cambium/types";
import { type BlockFileEntry, type BlockFileLine, readBlockFile } from "./block-file.js";
import type { Chain } from "./chain.js";
import { limitHeapGrowth } from "./heap-growth.js";
import type { ImportResult } from "./interface.js";
import { applySenders, SenderRecovery } from "./sender-recovery.js";

/** Blocks whose signers are recovered in one go, and such groups ahead of the import. */
const GROUP_BLOCKS = 16;
const GROUPS_AHEAD = 4;
/** Imports under way: executed, or waiting to be written or reported. */
const IMPORTS_AHEAD = 32;

export interface ImportFilesOptions {
  /** Called after every line, in order. */
  onProgress?: (progress: ImportProgress) => void;
  /** Stops after the blocks under way; importing the same files again continues. */
  signal?: AbortSignal;
}

export interface ImportProgress {
  /** Lines dealt with so far. */
  lines: number;
  bestNumber: number;
  seconds: number;
  blocksPerSecond: number;
  mgasPerSecond: number;
  /** Of the files' bytes, 0 to 1; a little ahead of what is imported. */
  fractionRead: number;
}

/** A line that brought no block. Number and hash are as the line has them; null where it has none. */
export interface RejectedLine {
  file: string;
  line: number;
  number: number | null;
  hash: Uint8Array | null;
  /** `BLOCK_FILE_LINE`, `MISSING_PARENT` or the code of a `BlockFault`. */
  code: string;
  reason: string;
}

export interface ImportSummary {
  /** Blocks that became the best one. */
  imported: number;
  side: number;
  known: number;
  rejected: RejectedLine[];
  best: { number: number; hash: Uint8Array; stateRoot: Uint8Array; totalDifficulty: bigint };
  seconds: number;
  /** Of all stored blocks, side chains included. */
  blocksPerSecond: number;
  mgasPerSecond: number;
  interrupted: boolean;
}

/**
 * Imports block files in order. A line that is no valid block is reported and the import goes on. Rejects when a file
 * cannot be read (`BLOCK_FILE`) or the chain is in trouble; what was imported before stays.
 */
export async function importFiles(
  chain: Chain,
  files: readonly string[],
  options: ImportFilesOptions = {},
): Promise<ImportSummary> {
  limitHeapGrowth();
  const run = new FileImport(chain, files, options);
  const recovery = new SenderRecovery();
  try {
    await run.all(recoverAhead(chain, files, recovery, options.signal));
  } finally {
    await recovery.close();
  }
  return run.summary(options.signal?.aborted ?? false);
}

/** A line whose block may still be unknown to the chain. */
interface Prepared {
  file: string;
  line: BlockFileLine;
  /** What the worker found, for a line with a block to import. */
  senders?: Uint8Array;
  known: boolean;
}

/** Lines in order, with the signers of their transactions; reads and recovers a bounded distance ahead. */
async function* recoverAhead(
  chain: Chain,
  files: readonly string[],
  recovery: SenderRecovery,
  signal: AbortSignal | undefined,
): AsyncGenerator<Prepared> {
  const ahead: Promise<Prepared[]>[] = [];
  for await (const group of groups(chain, files)) {
    if (signal?.aborted) return;
    const recovered = recoverGroup(group, recovery);
    // A failure is met when its turn comes, not as an unhandled rejection before.
    recovered.catch(() => undefined);
    ahead.push(recovered);
    if (ahead.length > GROUPS_AHEAD) yield* await ahead.shift()!;
  }
  for (const group of ahead) yield* await group;
}

async function* groups(chain: Chain, files: readonly string[]): AsyncGenerator<Prepared[]> {
  let group: Prepared[] = [];
  for (const file of files) {
    for await (const line of readBlockFile(file)) {
      group.push({ file, line, known: "entry" in line && isKnown(chain, line.entry) });
      if (group.length < GROUP_BLOCKS) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}

/** By the header alone, so that a file that was imported before is passed over quickly. */
function isKnown(chain: Chain, entry: BlockFileEntry): boolean {
  if (chain.headerByHash(entry.hash) === undefined) return false;
  try {
    const header = BlockHeader.decode(decodeRlpList(entry.rlp)[0]!, chain.network);
    return equalBytes(header.hash, entry.hash);
  } catch {
    return false;
  }
}

async function recoverGroup(group: Prepared[], recovery: SenderRecovery): Promise<Prepared[]> {
  const wanted = group.filter(({ line, known }) => "entry" in line && !known);
  const senders = await recovery.recover(wanted.map(({ line }) => (line as { entry: BlockFileEntry }).entry.rlp));
  for (const [index, prepared] of wanted.entries()) prepared.senders = senders[index];
  return group;
}

/** 0 for a file that is not there: reading it will tell. */
function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

class FileImport {
  private imported = 0;
  private side = 0;
  private known = 0;
  private readonly rejected: RejectedLine[] = [];
  private lines = 0;
  private gas = 0;
  private fractionRead = 0;
  private readonly sizes: number[];
  private readonly started = performance.now();

  constructor(
    private readonly chain: Chain,
    private readonly files: readonly string[],
    private readonly options: ImportFilesOptions,
  ) {
    this.sizes = files.map(fileSize);
  }

  async all(lines: AsyncIterable<Prepared>): Promise<void> {
    const underWay: Promise<void>[] = [];
    try {
      for await (const prepared of lines) {
        if (this.options.signal?.aborted) break;
        underWay.push(this.one(prepared));
        if (underWay.length >= IMPORTS_AHEAD) await underWay.shift();
      }
      await Promise.all(underWay);
    } finally {
      await Promise.allSettled(underWay);
    }
  }

  private async one({ file, line, senders, known }: Prepared): Promise<void> {
    if ("fault" in line) {
      this.reject(file, line.line, null, line.fault.code, line.fault.message);
    } else if (known) {
      this.known++;
    } else {
      await this.offer(file, line.entry, senders);
    }
    this.lines++;
    this.fractionRead = this.fractionAt(file, line.bytesRead);
    this.options.onProgress?.(this.progress());
  }

  private async offer(file: string, entry: BlockFileEntry, senders: Uint8Array | undefined): Promise<void> {
    let block: Block | undefined;
    const result = await this.chain.import(() => {
      block = Block.decode(entry.rlp, this.chain.network);
      if (senders !== undefined) applySenders(block, senders);
      return block;
    });
    this.count(file, entry, block?.header.gasUsed ?? 0, result);
  }

  private count(file: string, entry: BlockFileEntry, gasUsed: number, result: ImportResult): void {
    switch (result.kind) {
      case "imported-best":
        this.imported++;
        this.gas += gasUsed;
        return;
      case "imported-side":
        this.side++;
        this.gas += gasUsed;
        return;
      case "already-known":
        this.known++;
        return;
      case "missing-parent":
        this.reject(file, entry.line, entry, "MISSING_PARENT", "the parent is not in the database");
        return;
      case "invalid": {
        const { fault } = result;
        const reason = fault.code === "DECODING" ? fault.reason : new CambiumError(fault).message;
        this.reject(file, entry.line, entry, fault.code, reason);
      }
    }
  }

  private reject(
    file: string,
    line: number,
    entry: Pick<BlockFileEntry, "number" | "hash"> | null,
    code: string,
    reason: string,
  ): void {
    this.rejected.push({ file, line, number: entry?.number ?? null, hash: entry?.hash ?? null, code, reason });
  }

  private progress(): ImportProgress {
    const { lines, fractionRead } = this;
    return { lines, bestNumber: this.chain.best().header.number, ...this.rates(), fractionRead };
  }

  private fractionAt(file: string, bytesRead: number): number {
    const total = this.sizes.reduce((sum, size) => sum + size, 0);
    const before = this.sizes.slice(0, this.files.indexOf(file)).reduce((sum, size) => sum + size, 0);
    return total === 0 ? 1 : (before + bytesRead) / total;
  }

  private rates(): Pick<ImportSummary, "seconds" | "blocksPerSecond" | "mgasPerSecond"> {
    const seconds = (performance.now() - this.started) / 1000;
    const blocksPerSecond = (this.imported + this.side) / seconds;
    return { seconds, blocksPerSecond, mgasPerSecond: this.gas / 1e6 / seconds };
  }

  summary(interrupted: boolean): ImportSummary {
    const { imported, side, known, rejected } = this;
    const { header, hash, totalDifficulty } = this.chain.best();
    const best = { number: header.number, hash, stateRoot: header.stateRoot, totalDifficulty };
    return { imported, side, known, rejected, best, ...this.rates(), interrupted };
  }
}
