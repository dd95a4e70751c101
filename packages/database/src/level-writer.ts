import { ThreadClient, threadEntry } from "@cambium/primitives";
import type { Write } from "./database.js";
import type { LevelWriterMethods } from "./level-writer-thread.js";
import { packBatch, packedLength } from "./packed-batch.js";

/** Batches are not in the heap of the thread, only their lists of operations. */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };
/** Batches with the thread; more than a write queue has under way. */
const MAX_IN_FLIGHT = 4096;

const MEMORY_STEP = 256 * 1024;
/** Memory of larger batches is not kept. */
const LARGEST_SPARE = 16 * 1024 * 1024;

/**
 * Writes to a directory that this thread has open, in a thread of its own. Batches go there in shared memory: giving away
 * memory of its own, even once, makes the engine check at every access to any typed array whether it is still there.
 */
export class LevelWriter {
  private readonly client: ThreadClient<LevelWriterMethods>;
  /** Memory of a batch that has been written, for the next one. */
  private spare: SharedArrayBuffer | undefined;

  constructor(location: string) {
    this.client = new ThreadClient({
      name: "database writer",
      entry: threadEntry("./level-writer-thread.js", import.meta.url),
      data: { location },
      resourceLimits: WRITER_MEMORY,
      maxInFlight: MAX_IN_FLIGHT,
    });
  }

  /** Resolves when the batch is on disk. */
  async write(batch: readonly Write[]): Promise<void> {
    const length = packedLength(batch);
    const memory = this.memory(length);
    const packed = new Uint8Array(memory, 0, length);
    packBatch(batch, packed);
    await this.client.call("write", packed);
    if (memory.byteLength <= LARGEST_SPARE) this.spare = memory;
  }

  private memory(length: number): SharedArrayBuffer {
    const { spare } = this;
    this.spare = undefined;
    if (spare !== undefined && spare.byteLength >= length) return spare;
    return new SharedArrayBuffer(Math.ceil(length / MEMORY_STEP) * MEMORY_STEP);
  }

  /** Resolves when everything given to {@link write} is on disk and the thread has released the database. */
  close(): Promise<void> {
    return this.client.close();
  }
}
