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

/** Name of the object that lists the files of the copy. */
const MANIFEST = "manifest";
/** Maximum size of the manifest, in bytes. */
const MAX_MANIFEST = 64 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** Milliseconds within which the next chunk of an object must arrive. */
const CHUNK_TIMEOUT = 10_000;
/** Number of bytes requested ahead. */
const BYTES_AHEAD = 16 * 1024 * 1024;

/** A manifest in the bucket. */
export interface StoredManifest {
  /** SHA-256 of the stored manifest. */
  version: string;
  manifest: CopyManifest;
}

/**
 * The object store bucket with the copy of a writer's database. Objects are files, named by their SHA-256. NATS tools
 * can read the bucket: one message describes each object, others contain its chunks. The subjects of chunks also
 * contain the SHA-256. Only the description of the manifest is read. The client library of the object store trusts
 * descriptions, follows their links to other buckets, and receives without a limit.
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

  /** Opens the bucket. Undefined if there is none. */
  static async open(connection: NatsConnection, address: SealedStream): Promise<CopyStore | undefined> {
    const store = new CopyStore(connection, await jetstreamManager(connection), address);
    return (await store.bucketInfo()) === undefined ? undefined : store;
  }

  /**
   * Reads the manifest. Resolves to undefined if there is none with a valid seal. Rejects with `ReplicationError`
   * `COPY_MANIFEST` if this release cannot read it.
   */
  async manifest(): Promise<StoredManifest | undefined> {
    const version = await this.version();
    if (version === undefined) return undefined;
    const bytes = await this.chunks(version, MAX_MANIFEST);
    const manifest = bytes && openManifest(bytes, this.address);
    return manifest && { version, manifest };
  }

  /** Returns a version that changes with the manifest; undefined without a manifest. */
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

  /** Returns the names of the files in the bucket. */
  async names(): Promise<Set<string>> {
    const subjects = new Set(await this.subjects());
    const names = [...subjects].map((subject) => /\.C\.([0-9a-f]{64})$/.exec(subject)?.[1]);
    return new Set(names.filter((name) => name !== undefined && subjects.has(this.metaSubject(name))) as string[]);
  }

  /** Stores a file under its SHA-256; an empty file needs no object. */
  async put(name: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) await this.putAs(name, name, bytes);
  }

  /**
   * Reads a file by its SHA-256; resolves to undefined if it is missing. Rejects with `ReplicationError` `COPY_DAMAGED`
   * if the content differs, and with other errors if it does not arrive.
   */
  async get(name: string, size: number): Promise<Uint8Array | undefined> {
    const bytes = size === 0 ? EMPTY_BYTES : await this.chunks(name, size);
    if (bytes === undefined) return undefined;
    const actual = sha256(bytes);
    if (actual !== name) throw this.damaged(name, `its SHA-256 is ${actual}`);
    return bytes;
  }

  /** Deletes all objects but the manifest and files with these names, including chunks of incomplete uploads. */
  async keepOnly(names: ReadonlySet<string>): Promise<void> {
    const version = await this.version();
    const kept = new Set([this.metaSubject(MANIFEST), this.chunkSubject(version ?? "")]);
    for (const name of names) kept.add(this.metaSubject(name)).add(this.chunkSubject(name));
    for (const filter of await this.subjects()) {
      // The object store's own deletion would leave a message for each name.
      if (!kept.has(filter)) await this.manager.streams.purge(this.name, { filter });
    }
  }

  damaged(object: string, reason: string): ReplicationError {
    return new ReplicationError({ code: "COPY_DAMAGED", bucket: this.bucket, object, reason });
  }

  private get bucket(): string {
    return `${this.address.stream}-copy`;
  }

  /** Name of the stream that holds the bucket. */
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

  /** Stores an object; replaces chunks of an interrupted upload. */
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

  /**
   * Reads the chunks of an object; resolves to undefined if there are none. Rejects with `ReplicationError`
   * `COPY_DAMAGED` if they exceed `maximum` bytes.
   */
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
