import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Logger, pause, steadyTime } from "@cambium/primitives";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ReplicationError } from "../errors.js";
import { FailureLog } from "../failure-log.js";
import { isMissing } from "../open-stream.js";
import type { SealedStream } from "../seal.js";
import { continuation } from "./continuation.js";
import type { CopiedFile } from "./manifest.js";
import { CopyStore, type StoredManifest, sha256 } from "./store.js";

export interface FetchOptions {
  connection: NatsConnection;
  address: SealedStream;
  /** Directory of the database, which the copy replaces. */
  location: string;
  logger: Logger;
  /** Called with the progress, or with the reason for waiting, as one line. */
  onProgress?: (text: string) => void;
}

const RETRY_WAIT = 1_000;
/** Milliseconds between lines of the log. */
const PROGRESS_INTERVAL = 10_000;
/** Number of bytes to leave free on the disk, because a replica needs some to start. */
const RESERVE = 100 * 1024 * 1024;

/**
 * Fetches the copy of a writer's database from the object store, once the stream continues it, and makes it the
 * database in `location`. An existing database is then deleted. Files of an interrupted call are kept. Resolves to
 * false if the signal aborts first. Rejects with {@link ReplicationError} `COPY_DAMAGED`, `COPY_MANIFEST`, `COPY_SPACE`
 * or `OTHER_WRITER`, or with the error of a file system.
 */
export async function fetchCopy(options: FetchOptions, signal: AbortSignal): Promise<boolean> {
  const folder = `${options.location}.fetched`;
  const failures = new FailureLog(options.logger, "fetch the copy of the writer's database");
  const fail = (error: Error) => {
    failures.failed(error);
    options.onProgress?.(`waiting for the copy of the writer's database: ${error.message}`);
  };
  mkdirSync(folder, { recursive: true });
  while (!signal.aborted) {
    try {
      const fetching = await Fetching.begin(options, folder);
      if (typeof fetching === "string") fail(new Error(fetching));
      else if (await fetching.run(signal)) {
        replace(options.location, folder);
        return true;
      }
    } catch (error) {
      if (error instanceof ReplicationError || isFromFileSystem(error)) throw error;
      if (!signal.aborted) fail(error as Error);
    }
    await pause(RETRY_WAIT, signal);
  }
  return false;
}

function isFromFileSystem(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall !== undefined && (error as NodeJS.ErrnoException).path !== undefined;
}

function replace(location: string, folder: string): void {
  const replaced = `${location}.replaced`;
  rmSync(replaced, { recursive: true, force: true });
  if (existsSync(location)) renameSync(location, replaced);
  renameSync(folder, location);
  rmSync(replaced, { recursive: true, force: true });
}

class Fetching {
  private fetched = 0;
  private loggedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    private readonly options: FetchOptions,
    private readonly folder: string,
    private readonly store: CopyStore,
    private readonly copy: StoredManifest,
    private readonly missing: readonly CopiedFile[],
  ) {}

  /** Compares the existing files with the copy. Resolves to a reason if there is no usable copy yet. */
  static async begin(options: FetchOptions, folder: string): Promise<Fetching | string> {
    const { connection, address } = options;
    const store = await CopyStore.open(connection, address);
    const copy = await store?.manifest();
    if (store === undefined || copy === undefined) {
      return (await store?.version()) === undefined
        ? `the writer has not made one: it needs --replicate.copies, or copy its database with "node-cli db backup"`
        : "no writer with this key, network and stream has made one: waiting until it does; compare the key files";
    }
    const next = await continued(options, copy);
    if (!next) return `the stream does not continue it: waiting until the writer makes a new one`;
    const fetching = new Fetching(options, folder, store, copy, missingFiles(folder, copy));
    fetching.requireSpace();
    return fetching;
  }

  /** Fetches the files. Resolves to false if the copy was replaced in the meantime, or the signal aborts. */
  async run(signal: AbortSignal): Promise<boolean> {
    this.report();
    for (const file of this.missing) {
      if (signal.aborted || !(await this.fetch(file))) return false;
      this.fetched += file.size;
      this.report();
    }
    if (!(await continued(this.options, this.copy))) return false;
    this.options.logger.info(
      { batch: this.copy.manifest.last.sequence, fetched: this.fetched },
      "Fetched the copy of the writer's database",
    );
    return true;
  }

  /** Fetches a file. Resolves to false if it no longer belongs to the latest copy. */
  private async fetch({ name, size, sha256 }: CopiedFile): Promise<boolean> {
    const { store, copy, folder } = this;
    try {
      const bytes = await store.get(sha256, size);
      if (bytes === undefined) throw store.damaged(sha256, "it is missing");
      writeDurably(folder, name, bytes);
      return true;
    } catch (error) {
      if ((await store.version()) !== copy.version) return false;
      throw error;
    }
  }

  private requireSpace(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    const [needed, available] = [sizeOf(this.missing) + RESERVE, bavail * bsize];
    if (needed > available) throw new ReplicationError({ code: "COPY_SPACE", folder: this.folder, needed, available });
  }

  private report(): void {
    const { logger, onProgress } = this.options;
    const bytes = sizeOf(this.copy.manifest.files);
    const present = bytes - sizeOf(this.missing) + this.fetched;
    onProgress?.(`fetching the copy of the writer's database: ${megabytes(present)} of ${megabytes(bytes)} MB`);
    if (steadyTime() - this.loggedAt < PROGRESS_INTERVAL) return;
    this.loggedAt = steadyTime();
    logger.info({ present, bytes }, "Fetching the copy of the writer's database");
  }
}

async function continued({ connection, address }: FetchOptions, { manifest }: StoredManifest): Promise<boolean> {
  try {
    return (await continuation(await jetstreamManager(connection), address, manifest)) !== undefined;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Deletes files that do not belong to the copy, and returns the missing ones. */
function missingFiles(folder: string, { manifest: { files } }: StoredManifest): CopiedFile[] {
  const expected = new Map(files.map((file) => [file.name, file]));
  const present = new Set<string>();
  for (const name of readdirSync(folder)) {
    const file = expected.get(name);
    const path = join(folder, name);
    const isIntact = file?.size === statSync(path).size && sha256(readFileSync(path)) === file.sha256;
    if (isIntact) present.add(name);
    else rmSync(path, { recursive: true });
  }
  return files.filter(({ name }) => !present.has(name));
}

function writeDurably(folder: string, name: string, bytes: Uint8Array): void {
  const path = join(folder, name);
  const file = openSync(`${path}.part`, "w");
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.part`, path);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function sizeOf(files: readonly CopiedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
