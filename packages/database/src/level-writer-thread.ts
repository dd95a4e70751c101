import { workerData } from "node:worker_threads";
import { serveThread } from "@cambium/primitives";
import type { BatchLogOptions } from "./batch-log.js";
import { BatchWriter } from "./batch-writer.js";
import type { BatchLink, WriterNumber } from "./integrity/batch-chain.js";
import { openLevel } from "./level-opening.js";

export interface LevelWriterMethods {
  /**
   * Writes a batch packed by `packBatch`. Batches are written in the order of the calls. After a failure, no further
   * batch is written.
   */
  write(packed: Uint8Array): Promise<void>;
  /** The same, if the batch is the expected one. */
  apply(batch: { packed: Uint8Array; expected: BatchLink }): Promise<void>;
}

export interface LevelWriterData {
  location: string;
  writerNumber: WriterNumber;
  log?: BatchLogOptions | undefined;
}

// Passing a batch to LevelDB takes longer than producing it, so a separate thread does it.
void serveThread<LevelWriterMethods>(async () => {
  const { location, writerNumber, log } = workerData as LevelWriterData;
  const level = await openLevel(location);
  const writer = await BatchWriter.open(level, writerNumber, log);
  return {
    methods: {
      // The copy is needed because LevelDB's binding does not support shared memory.
      write: (packed) => writer.write(packed.slice()),
      apply: ({ packed, expected }) => writer.write(packed.slice(), expected),
    },
    async close() {
      await writer.close();
      await level.close();
    },
  };
});
