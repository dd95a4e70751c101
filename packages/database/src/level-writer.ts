import { ThreadClient, type ThreadError, threadEntry } from "@cambium/primitives";
import type { BatchLogOptions } from "./batch-log.js";
import type { Write } from "./database.js";
import { DatabaseError } from "./errors.js";
import type { BatchLink, WriterNumber } from "./integrity/batch-chain.js";
import type { LevelWriterData, LevelWriterMethods } from "./level-writer-thread.js";
import { packBatch, packedLength } from "./packed-batch.js";

/** The thread's heap holds only lists of operations; the batches themselves are outside of it. */
const WRITER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };
/** Maximum number of batches in flight; a write queue has fewer. */
const MAX_IN_FLIGHT = 4096;

const MEMORY_STEP = 256 * 1024;
/** Size in bytes above which buffers are not kept for reuse. */
const LARGEST_SPARE = 16 * 1024 * 1024;

/**
 * Writes to an open database in a separate thread. Batches are passed in shared memory: transferring a buffer even once
 * makes V8 check for detached buffers at every typed-array access from then on.
 */
export class LevelWriter {
  private readonly client: ThreadClient<LevelWriterMethods>;
  /** Buffer of a written batch, to be reused for the next one. */
  private spare: SharedArrayBuffer | undefined;

  /** `onFailure` is called once if the thread ends unexpectedly. */
  constructor(
    location: string,
    writerNumber: WriterNumber,
    onFailure: (error: ThreadError) => void = () => undefined,
    log?: BatchLogOptions,
  ) {
    const data: LevelWriterData = { location, writerNumber, log };
    this.client = new ThreadClient({
      name: "database writer",
      entry: threadEntry("./level-writer-thread.js", import.meta.url),
      data,
      resourceLimits: WRITER_MEMORY,
      errors: [DatabaseError],
      maxInFlight: MAX_IN_FLIGHT,
      onFailure,
    });
  }

  /**
   * Writes a batch; resolves when the operating system has it, and at most two seconds before it is on disk. The batch
   * is copied, and not kept until then.
   */
  write(batch: readonly Write[]): Promise<void> {
    const packed = this.memory(packedLength(batch));
    packBatch(batch, packed);
    return this.pass(packed, this.client.call("write", packed));
  }

  /** Writes a packed batch as {@link write} does, if it is the expected one; see `BatchWriter.write`. */
  apply(content: Uint8Array, expected: BatchLink): Promise<void> {
    const packed = this.memory(content.length);
    packed.set(content);
    return this.pass(packed, this.client.call("apply", { packed, expected }));
  }

  private async pass({ buffer }: Uint8Array<SharedArrayBuffer>, written: Promise<void>): Promise<void> {
    await written;
    if (buffer.byteLength <= LARGEST_SPARE) this.spare = buffer;
  }

  private memory(length: number): Uint8Array<SharedArrayBuffer> {
    const { spare } = this;
    this.spare = undefined;
    const isEnough = spare !== undefined && spare.byteLength >= length;
    const buffer = isEnough ? spare : new SharedArrayBuffer(Math.ceil(length / MEMORY_STEP) * MEMORY_STEP);
    return new Uint8Array(buffer, 0, length);
  }

  /** Resolves when all batches passed to {@link write} are flushed to disk and the thread has closed the database. */
  close(): Promise<void> {
    return this.client.close();
  }
}
