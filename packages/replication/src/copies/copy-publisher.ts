import { DatabaseError } from "@cambium/database";
import { type Logger, pause, ThreadClient, type ThreadError, threadEntry } from "@cambium/primitives";
import { jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { ReplicationError } from "../errors.js";
import { FailureLog } from "../failure-log.js";
import { COPIED_BYTES, copied } from "../measurements.js";
import { continuation } from "./continuation.js";
import type { CopyThreadData, CopyThreadMethods } from "./copy-thread.js";
import { type CopyManifest, unreadable } from "./manifest.js";
import { CopyStore, type StoredManifest } from "./store.js";
import type { UploadOptions } from "./upload.js";

export interface CopyPublisherOptions extends UploadOptions {
  /** Milliseconds until a copy is replaced; sooner if the stream is about to drop batches after it. */
  interval: number;
  connection: NatsConnection;
  /** Whether to make a copy: not while the writer downloads the chain. */
  isReady: () => boolean;
  logger: Logger;
}

/** Milliseconds between checks whether a copy is due. */
const LOOK_INTERVAL = 2_000;
/** A thread holds one file at a time, outside of its heap. */
const MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 };

/**
 * Keeps one copy of a writer's database in the object store, from which replicas start. The stream continues the copy.
 */
export class CopyPublisher {
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;
  private latest: StoredManifest | undefined;

  /** Starts immediately, and continues until it is closed. */
  constructor(private readonly options: CopyPublisherOptions) {
    this.running = this.run();
  }

  /** Resolves when a copy in progress is abandoned. */
  async close(): Promise<void> {
    this.stopped.abort();
    await this.running;
  }

  /** Makes copies until it is closed. Never rejects. */
  private async run(): Promise<void> {
    const { connection, logger, isReady } = this.options;
    const { signal } = this.stopped;
    const failures = new FailureLog(logger, "make a copy of the database for replicas");
    while (!signal.aborted && !connection.isClosed()) {
      try {
        if (isReady() && (await this.isDue())) await this.make();
        failures.succeeded();
      } catch (error) {
        if (!signal.aborted) failures.failed(error as Error);
      }
      await pause(LOOK_INTERVAL, signal);
    }
  }

  private async isDue(): Promise<boolean> {
    const { connection, address, interval } = this.options;
    const manifest = await this.manifest();
    if (manifest === undefined) return true;
    copied.set(manifest.made / 1_000);
    if (Date.now() - manifest.made > interval) return true;
    const next = await continuation(await jetstreamManager(connection), address, manifest);
    return next === undefined || (next.maxBytes > 0 && next.bytes > next.maxBytes / 2);
  }

  private async manifest(): Promise<CopyManifest | undefined> {
    const { connection, address } = this.options;
    const store = await CopyStore.open(connection, address);
    const version = await store?.version();
    if (store === undefined || version === undefined || version !== this.latest?.version) {
      this.latest = (await store?.manifest().catch(unreadable)) ?? (await this.restored(store));
    }
    return this.latest?.manifest;
  }

  /** Restores the manifest if another program has replaced it and the files of the copy are still there. */
  private async restored(store: CopyStore | undefined): Promise<StoredManifest | undefined> {
    const manifest = this.latest?.manifest;
    if (store === undefined || manifest === undefined) return undefined;
    const names = await store.names();
    const isWhole = manifest.files.every(({ size, sha256 }) => size === 0 || names.has(sha256));
    return isWhole ? store.complete(manifest) : undefined;
  }

  private async make(): Promise<void> {
    const { address, location, maxRate, redundancy, logger } = this.options;
    const { servers, stream, seal } = address;
    const data: CopyThreadData = { address: { servers, stream }, keys: seal.keys, location, maxRate, redundancy };
    const failed = new AbortController();
    const thread = new ThreadClient<CopyThreadMethods>({
      name: "database copier",
      entry: threadEntry("./copy-thread.js", import.meta.url),
      data,
      resourceLimits: MEMORY,
      errors: [ReplicationError, DatabaseError],
      maxInFlight: 2,
      onFailure: (error: ThreadError) => failed.abort(error),
    });
    const stop = () => void thread.call("stop", undefined).catch(() => undefined);
    this.stopped.signal.addEventListener("abort", stop, { once: true });
    try {
      const result = await thread.call("upload", undefined);
      if (result === undefined) return;
      const { last, files, bytes, sentBytes } = result;
      COPIED_BYTES.add(sentBytes);
      logger.info(
        { batch: last.sequence, files, bytes, sentBytes },
        "Made a copy of the database from which replicas can start",
      );
    } finally {
      this.stopped.signal.removeEventListener("abort", stop);
      await thread.close();
    }
  }
}
