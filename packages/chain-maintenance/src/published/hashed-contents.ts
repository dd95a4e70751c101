import { ThreadClient, threadEntry } from "@cambium/primitives";
import type { HashFile } from "./hash-file.js";
import type { HashingMethods } from "./hashing-thread.js";
import { hashRecords, recordLength, writeContent } from "./record-layout.js";

/** Bytes of records that are hashed together. */
const BATCH = 256 * 1024;
/** Memory for a batch, with room for a last record of common length. */
const CAPACITY = 2 * BATCH;
/** The thread keeps nothing; a small heap is collected often and stays small. */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 64 };
/** Maximum number of batches in the thread: two of each file. */
const MAX_IN_FLIGHT = 4;

/** Hashes batches of records in a thread, which the first one starts. */
export class RecordHasher {
  private thread: ThreadClient<HashingMethods> | undefined;

  /** Writes the hashes of records in shared memory. Rejects with `ThreadError`. */
  hash(records: Uint8Array): Promise<void> {
    this.thread ??= new ThreadClient<HashingMethods>({
      name: "hashing",
      entry: threadEntry("./hashing-thread.js", import.meta.url),
      resourceLimits: THREAD_MEMORY,
      maxInFlight: MAX_IN_FLIGHT,
    });
    return this.thread.call("hash", records);
  }

  /** Ends the thread. Rejects what it has not hashed yet. */
  async close(): Promise<void> {
    await this.thread?.terminate();
  }
}

/** Adds contents to a file by their hashes. While a batch of them is hashed, the next one is collected. */
export class HashedContents {
  private collected = new RecordBatch();
  private hashing = new RecordBatch();
  private hashed: Promise<void> = Promise.resolve();

  constructor(
    private readonly file: HashFile,
    private readonly hasher: Pick<RecordHasher, "hash">,
  ) {}

  /** Adds a content. If it returns a promise, nothing may be added before that resolves. Rejects as `hash` does. */
  add(content: Uint8Array): Promise<void> | undefined {
    this.collected.add(content);
    return this.collected.length < BATCH ? undefined : this.pass();
  }

  /** Resolves when the file has all contents. */
  async finish(): Promise<void> {
    await this.settle();
    hashRecords(this.collected.records);
    this.file.addRecords(this.collected.records);
  }

  private async pass(): Promise<void> {
    const hashed = this.hasher.hash(this.collected.records);
    hashed.catch(() => undefined);
    await this.settle();
    this.hashed = hashed;
    [this.collected, this.hashing] = [this.hashing, this.collected];
  }

  private async settle(): Promise<void> {
    await this.hashed;
    this.file.addRecords(this.hashing.records);
    this.hashing.clear();
  }
}

/** Records in shared memory. */
class RecordBatch {
  length = 0;
  private memory = memoryOf(CAPACITY);

  get records(): Uint8Array {
    return this.memory.subarray(0, this.length);
  }

  add(content: Uint8Array): void {
    const end = this.length + recordLength(content.length);
    if (end > this.memory.length) {
      const { records } = this;
      this.memory = memoryOf(end);
      this.memory.set(records);
    }
    writeContent(content, this.memory, this.length);
    this.length = end;
  }

  clear(): void {
    this.length = 0;
    if (this.memory.length > CAPACITY) this.memory = memoryOf(CAPACITY);
  }
}

function memoryOf(length: number): Uint8Array {
  return new Uint8Array(new SharedArrayBuffer(length));
}
