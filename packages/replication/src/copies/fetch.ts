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
import { type Logger, steadyTime } from "@cambium/primitives";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { pause, type StreamAddress } from "../connection.js";
import { ReplicationError } from "../errors.js";
import { FailureLog } from "../failure-log.js";
import { continuation } from "./continuation.js";
import type { CopiedFile, CopyManifest } from "./manifest.js";
import { bucketOf, CopyStore, isMissing, sha256 } from "./store.js";

export interface FetchOptions {
  connection: NatsConnection;
  address: StreamAddress;
  /** Directory of the database, which becomes the copy. */
  location: string;
  logger: Logger;
}

const RETRY_WAIT = 1_000;
/** Milliseconds between lines of the log. */
const PROGRESS_INTERVAL = 10_000;
/** Bytes that are left on the disk: a replica needs some to start. */
const RESERVE = 100 * 1024 * 1024;

/**
 * Fetches the copy of a writer's database that is in the object store, once the stream continues it, and makes it the database in
 * `location`; one that is there is deleted then. Files that an interrupted call has fetched are kept. Resolves to false if the signal
 * aborts before. Rejects with {@link ReplicationError} `COPY_DAMAGED`, `COPY_MANIFEST`, `COPY_SPACE` or `OTHER_WRITER`, or with the
 * error of a file system.
 */
export async function fetchCopy(options: FetchOptions, signal: AbortSignal): Promise<boolean> {
  const folder = `${options.location}.fetched`;
  const failures = new FailureLog(options.logger, "fetch the copy of the writer's database");
  mkdirSync(folder, { recursive: true });
  while (!signal.aborted) {
    try {
      const fetching = await Fetching.begin(options, folder);
      if (typeof fetching === "string") failures.failed(new Error(fetching));
      else if (await fetching.run(signal)) {
        replace(options.location, folder);
        return true;
      }
    } catch (error) {
      if (error instanceof ReplicationError || isFromFileSystem(error)) throw error;
      if (!signal.aborted) failures.failed(error as Error);
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
  private reportedAt = steadyTime();

  private constructor(
    private readonly options: FetchOptions,
    private readonly folder: string,
    private readonly store: CopyStore,
    private readonly manifest: CopyManifest,
    private readonly missing: readonly CopiedFile[],
  ) {}

  /** Compares what is there with the copy. Resolves to a reason if there is no usable one yet. */
  static async begin(options: FetchOptions, folder: string): Promise<Fetching | string> {
    const { connection, address } = options;
    const store = await CopyStore.open(connection, address);
    const manifest = await store?.manifest();
    if (store === undefined || manifest === undefined) {
      return `the writer has not made one: it needs --replicate.copies, or copy its database with "node-cli db backup"`;
    }
    const next = await continued(options, manifest);
    if (!next) return `the stream does not continue it: waiting until the writer makes a new one`;
    const fetching = new Fetching(options, folder, store, manifest, missingFiles(folder, manifest));
    fetching.requireSpace();
    return fetching;
  }

  /** Resolves to false if the copy was replaced meanwhile, or the signal aborts. */
  async run(signal: AbortSignal): Promise<boolean> {
    this.report();
    for (const file of this.missing) {
      if (signal.aborted || !(await this.fetch(file))) return false;
      this.fetched += file.size;
      if (steadyTime() - this.reportedAt >= PROGRESS_INTERVAL) this.report();
    }
    if (!(await continued(this.options, this.manifest))) return false;
    this.options.logger.info(
      { batch: this.manifest.last.sequence, fetched: this.fetched },
      "Fetched the copy of the writer's database",
    );
    return true;
  }

  /** Resolves to false if the file does not belong to the latest copy any more. */
  private async fetch({ name, size, sha256: expected }: CopiedFile): Promise<boolean> {
    const bytes = await this.store.get(expected, size);
    if (bytes === undefined) return false;
    const actual = sha256(bytes);
    if (actual !== expected) {
      const bucket = bucketOf(this.options.address.stream);
      throw new ReplicationError({
        code: "COPY_DAMAGED",
        bucket,
        object: expected,
        reason: `its SHA-256 is ${actual}`,
      });
    }
    writeDurably(this.folder, name, bytes);
    return true;
  }

  private requireSpace(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    const [needed, available] = [sizeOf(this.missing) + RESERVE, bavail * bsize];
    if (needed > available) throw new ReplicationError({ code: "COPY_SPACE", folder: this.folder, needed, available });
  }

  private report(): void {
    this.reportedAt = steadyTime();
    const bytes = sizeOf(this.manifest.files);
    const present = bytes - sizeOf(this.missing) + this.fetched;
    this.options.logger.info({ present, bytes }, "Fetching the copy of the writer's database");
  }
}

async function continued({ connection, address }: FetchOptions, manifest: CopyManifest): Promise<boolean> {
  try {
    return (await continuation(await jetstreamManager(connection), address.stream, manifest)) !== undefined;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Deletes what does not belong to the copy. */
function missingFiles(folder: string, { files }: CopyManifest): CopiedFile[] {
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

function sizeOf(files: readonly CopiedFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
