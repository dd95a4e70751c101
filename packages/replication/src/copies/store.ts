import { createHash } from "node:crypto";
import { EMPTY_BYTES, joinBytes } from "@cambium/primitives";
import {
  type ConsumerMessages,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  StorageType,
} from "@nats-io/jetstream";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { ReplicationError } from "../errors.js";
import { isMissing } from "../open-stream.js";
import type { SealedStream } from "../seal.js";
import { type CopyManifest, openManifest, sealManifest } from "./manifest.js";

/** Name of the object that says what the copy consists of, and bytes that it has at most. */
const MANIFEST = "manifest";
const MAX_MANIFEST = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** Milliseconds until the next chunk of an object must have arrived. */
const CHUNK_TIMEOUT = 10_000;
/** Bytes that are requested ahead. */
const BYTES_AHEAD = 16 * 1024 * 1024;

/** The latest description of a copy. */
export interface StoredManifest {
  /** Changes with the manifest. */
  version: string;
  manifest: CopyManifest;
}

/**
 * The object store bucket with the copy of a writer's database, whose files are named by their SHA-256. It is laid out as NATS tools expect: a message
 * describes each object, others have its chunks. Chunks have the SHA-256 in their subject, too, so that only the description of the manifest is read: a
 * client that believes descriptions follows links to other buckets, and receives as much as they make it.
 */
export class CopyStore {
  private constructor(
    private readonly connection: NatsConnection,
    private readonly manager: JetStreamManager,
    private readonly address: SealedStream,
  ) {}

  /** Creates the bucket if it does not exist. `redundancy` servers of the cluster keep it. */
  static async create(connection: NatsConnection, address: SealedStream, redundancy: number): Promise<CopyStore> {
    const manager = await jetstreamManager(connection);
    const store = new CopyStore(connection, manager, address);
    const known = await store.bucketInfo();
    if (known === undefined) {
      const { name, bucket } = store;
      await manager.streams.add({
        name,
        description: "Copy of the database of a Cambium node, for its replicas",
        subjects: [`$O.${bucket}.C.>`, `$O.${bucket}.M.>`],
        discard: DiscardPolicy.New,
        storage: StorageType.File,
        allow_direct: true,
        allow_rollup_hdrs: true,
        num_replicas: redundancy,
      });
    } else if (known.config.num_replicas !== redundancy) {
      await manager.streams.update(store.name, { num_replicas: redundancy });
    }
    return store;
  }

  /** Undefined if there is no bucket. */
  static async open(connection: NatsConnection, address: SealedStream): Promise<CopyStore | undefined> {
    const store = new CopyStore(connection, await jetstreamManager(connection), address);
    return (await store.bucketInfo()) === undefined ? undefined : store;
  }

  /**
   * Undefined if no copy was completed, or its description is not one that a node of this stream has sealed. Rejects with `ReplicationError`
   * `COPY_MANIFEST` if this release cannot read it.
   */
  async manifest(): Promise<StoredManifest | undefined> {
    const version = await this.version();
    if (version === undefined) return undefined;
    const bytes = await this.chunks(version, MAX_MANIFEST);
    const manifest = bytes && openManifest(bytes, this.address);
    return manifest && { version, manifest };
  }

  /** Changes with the manifest; undefined without one. */
  async version(): Promise<string | undefined> {
    const message = await this.manager.streams.getMessage(this.name, { last_by_subj: this.metaSubject(MANIFEST) });
    return message === null ? undefined : /"nuid":"([0-9a-f]{64})"/.exec(message.string())?.[1];
  }

  /** Replaces the manifest, which makes a copy complete. */
  async complete(manifest: CopyManifest): Promise<StoredManifest> {
    const bytes = sealManifest(manifest, this.address.seal);
    const version = sha256(bytes);
    await this.putAs(MANIFEST, version, bytes);
    return { version, manifest };
  }

  /** Names of the files that it has. */
  async names(): Promise<Set<string>> {
    const subjects = new Set(await this.subjects());
    const names = [...subjects].map((subject) => /\.C\.([0-9a-f]{64})$/.exec(subject)?.[1]);
    return new Set(names.filter((name) => name !== undefined && subjects.has(this.metaSubject(name))) as string[]);
  }

  /** Adds a file under its SHA-256; an empty one takes no room. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.putAs(name, name, bytes);
  }

  /**
   * A file with a SHA-256; undefined if it is not there. Rejects with `ReplicationError` `COPY_DAMAGED` if it is another one, and with other
   * errors if it does not arrive.
   */
  async get(name: string, size: number): Promise<Uint8Array | undefined> {
    const bytes = size === 0 ? EMPTY_BYTES : await this.chunks(name, size);
    if (bytes === undefined) return undefined;
    const actual = sha256(bytes);
    if (actual !== name) throw this.damaged(name, `its SHA-256 is ${actual}`);
    return bytes;
  }

  /** Deletes all objects but the manifest and files with these names, also the chunks of those that were not completed. */
  async keepOnly(names: ReadonlySet<string>): Promise<void> {
    const version = await this.version();
    const kept = new Set([this.metaSubject(MANIFEST), this.chunkSubject(version ?? "")]);
    for (const name of names) kept.add(this.metaSubject(name)).add(this.chunkSubject(name));
    for (const filter of await this.subjects()) {
      // A deletion as NATS tools do it would leave a message for each name.
      if (!kept.has(filter)) await this.manager.streams.purge(this.name, { filter });
    }
  }

  damaged(object: string, reason: string): ReplicationError {
    return new ReplicationError({ code: "COPY_DAMAGED", bucket: this.bucket, object, reason });
  }

  private get bucket(): string {
    return `${this.address.stream}-copy`;
  }

  /** The stream that holds the bucket. */
  private get name(): string {
    return `OBJ_${this.bucket}`;
  }

  private chunkSubject(sha256: string): string {
    return `$O.${this.bucket}.C.${sha256}`;
  }

  private metaSubject(name: string): string {
    return `$O.${this.bucket}.M.${base64Url(Buffer.from(name))}`;
  }

  private async bucketInfo() {
    try {
      return await this.manager.streams.info(this.name);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  private async subjects(): Promise<string[]> {
    const { state } = await this.manager.streams.info(this.name, { subjects_filter: ">" });
    return Object.keys(state.subjects ?? {});
  }

  /** Chunks that an interrupted call has left are replaced. */
  private async putAs(name: string, nuid: string, bytes: Uint8Array): Promise<void> {
    const client = jetstream(this.connection);
    const subject = this.chunkSubject(nuid);
    await this.manager.streams.purge(this.name, { filter: subject });
    for (let start = 0; start < bytes.length; start += CHUNK) {
      await client.publish(subject, bytes.subarray(start, start + CHUNK));
    }
    const description = {
      name,
      bucket: this.bucket,
      nuid,
      size: bytes.length,
      chunks: Math.ceil(bytes.length / CHUNK),
      digest: `SHA-256=${base64Url(createHash("sha256").update(bytes).digest())}`,
      mtime: new Date().toISOString(),
      deleted: false,
      options: { max_chunk_size: CHUNK },
    };
    const rollup = headers();
    rollup.set("Nats-Rollup", "sub");
    await client.publish(this.metaSubject(name), JSON.stringify(description), { headers: rollup });
  }

  /** The content of an object; undefined if it has none. Rejects with `ReplicationError` `COPY_DAMAGED` if it is longer than `maximum`. */
  private async chunks(nuid: string, maximum: number): Promise<Uint8Array | undefined> {
    const consumer = await jetstream(this.connection).consumers.get(this.name, {
      deliver_policy: DeliverPolicy.All,
      filter_subjects: this.chunkSubject(nuid),
    });
    if ((await consumer.info(true)).num_pending === 0) {
      await consumer.delete().catch(() => undefined);
      return undefined;
    }
    const messages = await consumer.consume({ max_bytes: BYTES_AHEAD });
    try {
      return joinBytes(await this.received(messages, nuid, maximum));
    } finally {
      messages.stop();
      await consumer.delete().catch(() => undefined);
    }
  }

  private async received(messages: ConsumerMessages, nuid: string, maximum: number): Promise<Uint8Array[]> {
    const parts: Uint8Array[] = [];
    const iterator = messages[Symbol.asyncIterator]();
    for (let bytes = 0; ; ) {
      const { done, value } = await inTime(iterator.next());
      if (done) throw new Error("the store ended in the middle of an object");
      bytes += value.data.length;
      if (value.data.length === 0) throw this.damaged(nuid, "a part of it is empty");
      if (bytes > maximum) throw this.damaged(nuid, `it has more than ${maximum} bytes`);
      parts.push(value.data);
      if (value.info.pending === 0) return parts;
    }
  }
}

function base64Url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function inTime<T>(arriving: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing arrived for ${CHUNK_TIMEOUT} ms`)), CHUNK_TIMEOUT);
  });
  try {
    return await Promise.race([arriving, late]);
  } finally {
    clearTimeout(timer);
  }
}
