import { createHash } from "node:crypto";
import { JetStreamApiCodes, JetStreamApiError, jetstreamManager } from "@nats-io/jetstream";
import { type ObjectStore, Objm } from "@nats-io/obj";
import type { NatsConnection } from "@nats-io/transport-node";
import type { StreamAddress } from "../connection.js";
import { ReplicationError } from "../errors.js";
import { type CopyManifest, decodeManifest, encodeManifest } from "./manifest.js";

/** Name of the object that says what the copy consists of. */
const MANIFEST = "manifest";
const CHUNK = 256 * 1024;
/** Milliseconds until the next piece of an object must have arrived. */
const PIECE_TIMEOUT = 10_000;

/** The object store bucket with the copy of a writer's database, whose files are named by their SHA-256. */
export class CopyStore {
  private constructor(
    private readonly connection: NatsConnection,
    private readonly store: ObjectStore,
    private readonly bucket: string,
    private readonly stream: string,
  ) {}

  /** Creates the bucket if it does not exist. `redundancy` servers of the cluster keep it. */
  static async create(connection: NatsConnection, { stream }: StreamAddress, redundancy: number): Promise<CopyStore> {
    const bucket = bucketOf(stream);
    const description = "Copy of the database of a Cambium node, for its replicas";
    const store = await new Objm(connection).create(bucket, { replicas: redundancy, description });
    const { replicas } = await store.status();
    const manager = await jetstreamManager(connection);
    if (replicas !== redundancy) await manager.streams.update(`OBJ_${bucket}`, { num_replicas: redundancy });
    return new CopyStore(connection, store, bucket, stream);
  }

  /** Undefined if there is no bucket. */
  static async open(connection: NatsConnection, { stream }: StreamAddress): Promise<CopyStore | undefined> {
    const bucket = bucketOf(stream);
    const manager = await jetstreamManager(connection);
    try {
      await manager.streams.info(`OBJ_${bucket}`);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    return new CopyStore(connection, await new Objm(connection).open(bucket), bucket, stream);
  }

  /** Undefined if no copy was completed. Rejects with `ReplicationError` `COPY_MANIFEST`. */
  async manifest(): Promise<CopyManifest | undefined> {
    const bytes = await this.get(MANIFEST, Number.MAX_SAFE_INTEGER);
    return bytes && decodeManifest(bytes, this.stream);
  }

  /** Changes with the manifest; undefined without one. */
  async version(): Promise<string | undefined> {
    return (await this.store.info(MANIFEST))?.nuid;
  }

  /** Replaces the manifest, which makes a copy complete. */
  async complete(manifest: CopyManifest): Promise<void> {
    await this.put(MANIFEST, encodeManifest(manifest));
  }

  /** Names of the files that it has. */
  async names(): Promise<Set<string>> {
    return new Set((await this.store.list()).map(({ name }) => name));
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.store.putBlob({ name, options: { max_chunk_size: CHUNK } }, bytes);
  }

  /**
   * Undefined if there is no such object. Rejects with `ReplicationError` `COPY_DAMAGED` if it is not what was put there, and with other
   * errors if it does not arrive.
   */
  async get(name: string, maximum: number): Promise<Uint8Array | undefined> {
    const object = await this.store.get(name);
    if (object === null) return undefined;
    if (object.info.size > maximum) throw this.damaged(name, new Error(`it has ${object.info.size} bytes`));
    // It rejects if the stream of its content fails, which is noticed there.
    object.error.catch(() => undefined);
    const reader = object.data.getReader();
    const pieces: Uint8Array[] = [];
    try {
      for (;;) {
        const { done, value } = await inTime(reader.read()).catch((cause: Error) => {
          throw /corrupt object/.test(cause.message) ? this.damaged(name, cause) : cause;
        });
        if (done) return Buffer.concat(pieces);
        pieces.push(value);
      }
    } finally {
      await reader.cancel().catch(() => undefined);
    }
  }

  private damaged(object: string, cause: Error): ReplicationError {
    const [reason] = cause.message.split("\n");
    return new ReplicationError({ code: "COPY_DAMAGED", bucket: this.bucket, object, reason: reason! }, { cause });
  }

  /** Deletes all files but those with these names, also the pieces of those that were not completed. */
  async keepOnly(names: ReadonlySet<string>): Promise<void> {
    const manager = await jetstreamManager(this.connection);
    const stream = `OBJ_${this.bucket}`;
    const kept = new Set<string>();
    for (const { name, nuid } of await this.store.list()) {
      if (name === MANIFEST || names.has(name)) kept.add(`$O.${this.bucket}.C.${nuid}`);
      // A deletion by the library would leave a message for each name.
      else await manager.streams.purge(stream, { filter: `$O.${this.bucket}.M.${paddedBase64(name)}` });
    }
    const { state } = await manager.streams.info(stream, { subjects_filter: `$O.${this.bucket}.C.*` });
    for (const filter of Object.keys(state.subjects ?? {})) {
      if (!kept.has(filter)) await manager.streams.purge(stream, { filter });
    }
  }
}

/** Name of the bucket of a stream. */
export function bucketOf(stream: string): string {
  return `${stream}-copy`;
}

function paddedBase64(text: string): string {
  return Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

async function inTime<T>(arriving: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing arrived for ${PIECE_TIMEOUT} ms`)), PIECE_TIMEOUT);
  });
  try {
    return await Promise.race([arriving, late]);
  } finally {
    clearTimeout(timer);
  }
}
