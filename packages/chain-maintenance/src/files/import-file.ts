import { type BlockInput, Chain, type ChainReader, type ImportResult, RecoveringImport } from "@cambium/chain";
import { ChainError } from "@cambium/chain-store";
import { CambiumError } from "@cambium/primitives";
import { type BlockHeader, decodeBlockHeader, TypesError } from "@cambium/types";
import { type BlockSource, fileSource, type SourceBlock, type SourceLine } from "./block-file.js";
import { tuneGarbageCollection } from "./garbage-collection.js";
import { otherNetworkOf } from "./other-network.js";

/** Maximum number of imports in flight: queued, executing, or waiting to be written or reported. */
const IMPORTS_AHEAD = 64;

/** Number of rejected lines that the summary describes; further ones are only counted. */
const MAX_DESCRIBED = 10_000;

/** The importing chain: `ThreadedChain`, or `Chain`, which imports in the calling thread. */
export interface FileImportChain extends Pick<ChainReader, "best" | "headerByHash" | "network"> {
  import(input: BlockInput): Promise<ImportResult>;
}

export interface ImportFilesOptions {
  /** Called after every line, in order, and whenever a part of a file is read, even if it contains no line. */
  onProgress?: (progress: ImportProgress) => void;
  /** Stops after the blocks in flight; importing the same files again resumes. */
  signal?: AbortSignal;
  /**
   * Number of rejected lines after which the import stops, once the blocks in flight are done; unlimited by default.
   */
  maxRejected?: number;
}

export interface ImportProgress {
  /** Number of lines processed so far. */
  lines: number;
  bestNumber: number;
  seconds: number;
  blocksPerSecond: number;
  mgasPerSecond: number;
  /** Bytes of the files read so far, as they are compressed. */
  bytesRead: number;
  /**
   * Fraction of the files' bytes read, 0 to 1; slightly ahead of the imported blocks. Undefined for standard input and
   * pipes.
   */
  fractionRead: number | undefined;
}

/** A line without a valid block. Number and hash are those in the line, null if missing. */
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
  /** Number of blocks that became the best block. */
  imported: number;
  side: number;
  known: number;
  /** First 10 000 rejected lines, in the order of the files. */
  rejected: RejectedLine[];
  rejectedCount: number;
  /** Whether the import stopped early because `maxRejected` lines were rejected. */
  tooManyRejected: boolean;
  best: { number: number; hash: Uint8Array; stateRoot: Uint8Array; totalDifficulty: bigint };
  seconds: number;
  /** Rate of stored blocks, side chains included. */
  blocksPerSecond: number;
  mgasPerSecond: number;
  interrupted: boolean;
}

/**
 * Imports block files in order. A line without a valid block is reported, and the import continues. Rejects if a file
 * cannot be read (`BLOCK_FILE`), if it begins with a block of another network (`OTHER_NETWORK`), or if the chain fails.
 * Blocks imported before that are kept.
 */
export async function importFiles(
  chain: FileImportChain,
  files: readonly string[],
  options: ImportFilesOptions = {},
): Promise<ImportSummary> {
  return importSources(chain, files.map(fileSource), options);
}

/** {@link importFiles} from any sources. */
export async function importSources(
  chain: FileImportChain,
  sources: readonly BlockSource[],
  options: ImportFilesOptions = {},
): Promise<ImportSummary> {
  tuneGarbageCollection();
  const recovering = chain instanceof Chain ? new RecoveringImport(chain) : undefined;
  const run = new FileImport(chain, recovering ?? chain, sources, options);
  try {
    await run.all();
  } finally {
    await recovering?.close();
  }
  return run.summary(options.signal?.aborted ?? false);
}

function reasonOf({ details, message }: ChainError): string {
  return details.code === "BLOCK_FILE_LINE" ? details.reason : message;
}

/** Undefined if it cannot be decoded; the import reports why. */
function headerOf({ network }: FileImportChain, { rlp, header }: SourceBlock): BlockHeader | undefined {
  try {
    return header ?? decodeBlockHeader(rlp, network);
  } catch (error) {
    if (error instanceof TypesError) return undefined;
    throw error;
  }
}

class FileImport {
  private imported = 0;
  private side = 0;
  private known = 0;
  private readonly rejected: RejectedLine[] = [];
  private rejectedCount = 0;
  private tooManyRejected = false;
  /** Files with at least one accepted block. */
  private readonly fitting = new Set<string>();
  private lines = 0;
  private gas = 0;
  private bytesRead = 0;
  /** Bytes of all files; undefined if the size of one is unknown. */
  private readonly size: number | undefined;
  private readonly started = performance.now();

  constructor(
    private readonly chain: FileImportChain,
    private readonly target: Pick<FileImportChain, "import">,
    private readonly sources: readonly BlockSource[],
    private readonly options: ImportFilesOptions,
  ) {
    const sizes = sources.map(({ size }) => size);
    this.size = sizes.reduce((sum, size) => (sum === undefined || size === undefined ? undefined : sum + size), 0);
  }

  async all(): Promise<void> {
    const inProgress: Promise<void>[] = [];
    try {
      for await (const { file, line } of this.fileLines()) {
        this.tooManyRejected = this.rejectedCount >= (this.options.maxRejected ?? Number.POSITIVE_INFINITY);
        if (this.options.signal?.aborted || this.tooManyRejected) break;
        const importing = this.one(file, line);
        // Handled below; but the database may fail while the next line is read.
        importing.catch(() => undefined);
        inProgress.push(importing);
        if (inProgress.length >= IMPORTS_AHEAD) await inProgress.shift();
      }
      await Promise.all(inProgress);
    } finally {
      await Promise.allSettled(inProgress);
    }
  }

  private async *fileLines(): AsyncGenerator<{ file: string; line: SourceLine }> {
    const { signal } = this.options;
    for (const { name, read } of this.sources) {
      const before = this.bytesRead;
      const onBytes = (bytes: number) => {
        this.bytesRead = before + bytes;
        this.options.onProgress?.(this.progress());
      };
      for await (const line of read({ signal, onBytes })) yield { file: name, line };
    }
  }

  private async one(file: string, line: SourceLine): Promise<void> {
    if ("fault" in line) {
      this.reject(file, line.line, null, line.fault.code, reasonOf(line.fault));
    } else {
      await this.block(file, line.entry);
    }
    this.lines++;
    this.options.onProgress?.(this.progress());
  }

  /** A file that was imported before is passed over quickly: its headers are known. */
  private async block(file: string, entry: SourceBlock): Promise<void> {
    const header = headerOf(this.chain, entry);
    if (header !== undefined && this.chain.headerByHash(header.hash) !== undefined) {
      this.known++;
      this.fitting.add(file);
      return;
    }
    const result = await this.target.import({ bytes: entry.rlp, source: "file", header });
    if (result.kind.startsWith("imported")) this.gas += header!.gasUsed;
    if (result.kind !== "missing-parent" && result.kind !== "invalid") this.fitting.add(file);
    else if (!this.fitting.has(file)) this.requireOwnNetwork(file, entry);
    this.count(file, entry, result);
  }

  private requireOwnNetwork(file: string, { line, rlp }: SourceBlock): void {
    const { network } = this.chain;
    const other = otherNetworkOf(rlp, network);
    if (other === undefined) return;
    const { name: actual, evidence } = other;
    throw new ChainError({ code: "OTHER_NETWORK", file, line, expected: network.name, actual, evidence });
  }

  private count(file: string, entry: SourceBlock, result: ImportResult): void {
    switch (result.kind) {
      case "imported-best":
        this.imported++;
        return;
      case "imported-side":
        this.side++;
        return;
      case "already-known":
        this.known++;
        return;
      case "missing-parent":
        this.reject(file, entry.line, entry, "MISSING_PARENT", "parent block unknown");
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
    entry: Pick<SourceBlock, "number" | "hash"> | null,
    code: string,
    reason: string,
  ): void {
    this.rejectedCount++;
    if (this.rejected.length === MAX_DESCRIBED) return;
    this.rejected.push({ file, line, number: entry?.number ?? null, hash: entry?.hash ?? null, code, reason });
  }

  private progress(): ImportProgress {
    const { lines, bytesRead, size } = this;
    const fractionRead = size === 0 ? 1 : size && bytesRead / size;
    return { lines, bestNumber: this.chain.best().header.number, ...this.rates(), bytesRead, fractionRead };
  }

  private rates(): Pick<ImportSummary, "seconds" | "blocksPerSecond" | "mgasPerSecond"> {
    const seconds = (performance.now() - this.started) / 1000;
    const blocksPerSecond = (this.imported + this.side) / seconds;
    return { seconds, blocksPerSecond, mgasPerSecond: this.gas / 1e6 / seconds };
  }

  summary(interrupted: boolean): ImportSummary {
    const { imported, side, known, rejectedCount, tooManyRejected } = this;
    const fileOf = ({ file }: RejectedLine) => this.sources.findIndex(({ name }) => name === file);
    const rejected = this.rejected.toSorted((a, b) => fileOf(a) - fileOf(b) || a.line - b.line);
    const { header, hash, totalDifficulty } = this.chain.best();
    const best = { number: header.number, hash, stateRoot: header.stateRoot, totalDifficulty };
    return { imported, side, known, rejected, rejectedCount, tooManyRejected, best, ...this.rates(), interrupted };
  }
}
