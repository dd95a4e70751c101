import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  BatchLogReader,
  batchLogMemory,
  copyRunningDatabase,
  DatabaseError,
  openLevelDatabase,
  tableProblem,
} from "@cambium/database";
import { pause, steadyTime } from "@cambium/primitives";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ReplicationError } from "../errors.js";
import type { SealedStream } from "../seal.js";
import { continuation } from "./continuation.js";
import { type CopiedFile, type CopyPosition, FILE_NAME, MAX_FILE, unreadable } from "./manifest.js";
import { CopyStore, sha256 } from "./store.js";

export interface UploadOptions {
  address: SealedStream;
  /** Directory of the database, which is open. */
  location: string;
  /** Maximum average rate of reading and sending, in bytes a second. */
  maxRate: number;
  /** Number of NATS servers that keep the copy. */
  redundancy: number;
}

export interface UploadResult extends CopyPosition {
  files: number;
  bytes: number;
  /** Size in bytes of the files that the bucket did not have. */
  sentBytes: number;
}

/**
 * Makes a copy of an open database in the object store, and deletes the previous one. Files in the bucket are not sent
 * again. Resolves to undefined if the signal aborts. Rejects with `DatabaseError` if the database is damaged. Rejects
 * with {@link ReplicationError} `COPY_LATE` if the stream has dropped batches after the copy, and with other errors if
 * the store fails.
 */
export async function uploadCopy(
  connection: NatsConnection,
  { address, location, maxRate, redundancy }: UploadOptions,
  signal: AbortSignal,
): Promise<UploadResult | undefined> {
  const folder = `${location}.copy`;
  rmSync(folder, { recursive: true, force: true });
  const store = await CopyStore.create(connection, address, redundancy);
  const present = await store.manifest().catch(unreadable);
  const known = new Map(present?.manifest.files.map((file) => [file.name, file]));
  const stored = await store.names();
  await copyRunningDatabase(location, folder, 0);
  try {
    const position = await positionOf(folder);
    const pace = new Pace(maxRate, signal);
    const files: CopiedFile[] = [];
    let sentBytes = 0;
    for (const name of readdirSync(folder).filter((file) => FILE_NAME.test(file))) {
      const { size, mtimeMs } = statSync(join(folder, name));
      const modified = Math.trunc(mtimeMs);
      const before = known.get(name);
      const isKnown = isTable(name) && before?.size === size && before.modified === modified;
      if (isKnown && stored.has(before.sha256)) {
        files.push(before);
        continue;
      }
      if (size > MAX_FILE) throw new Error(`${name} has ${size} bytes, at most ${MAX_FILE} are possible`);
      await pace.take(size);
      if (signal.aborted) return undefined;
      const bytes = await readIntact(location, folder, name);
      const file = { name, size, modified, sha256: sha256(bytes) };
      if (!stored.has(file.sha256)) {
        await store.put(file.sha256, bytes);
        sentBytes += size;
      }
      files.push(file);
    }
    const { stream } = address;
    if ((await continuation(await jetstreamManager(connection), address, position)) === undefined) {
      throw new ReplicationError({ code: "COPY_LATE", stream, sequence: position.last.sequence });
    }
    await store.complete({ version: 1, made: Date.now(), ...position, files });
    await store.keepOnly(new Set(files.map((file) => file.sha256)));
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    return { ...position, files: files.length, bytes, sentBytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a copy, which verifies its batches and turns its logs into tables. */
async function positionOf(location: string): Promise<CopyPosition> {
  const database = await openLevelDatabase(location);
  const log = await BatchLogReader.open(location, { memory: batchLogMemory() });
  try {
    const { sequence, hash } = log.base;
    return {
      base: { sequence, hash },
      last: { sequence: log.latest, hash: log.linkOf(log.latest)?.hash ?? new Uint8Array(hash.length) },
    };
  } finally {
    await log.close();
    await database.close();
  }
}

async function readIntact(location: string, folder: string, name: string): Promise<Uint8Array> {
  const bytes = readFileSync(join(folder, name));
  const reason = isTable(name) ? await tableProblem(bytes) : undefined;
  if (reason !== undefined) throw new DatabaseError({ code: "DATABASE_FILES", location, file: name, reason });
  return bytes;
}

function isTable(name: string): boolean {
  return /\.(?:ldb|sst)$/.test(name);
}

/** Spreads work evenly over time. */
class Pace {
  private next = steadyTime();

  constructor(
    private readonly maxRate: number,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves when this number of bytes may be read, or when the signal aborts. */
  async take(bytes: number): Promise<void> {
    const wait = this.next - steadyTime();
    if (wait > 0) await pause(wait, this.signal);
    this.next = Math.max(this.next, steadyTime()) + (bytes / this.maxRate) * 1_000;
  }
}
