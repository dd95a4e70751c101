import { workerData } from "node:worker_threads";
import { serveThread } from "@cambium/primitives";
import { openLevel } from "./level-opening.js";
import { replayBatch } from "./packed-batch.js";

export interface LevelWriterMethods {
  /** Writes a batch packed by `packBatch`. Batches are written in the order of the calls. */
  write(packed: Uint8Array): Promise<void>;
}

// Passing a batch to LevelDB takes longer than producing it, so a separate thread does it.
await serveThread<LevelWriterMethods>(async () => {
  const level = await openLevel((workerData as { location: string }).location, {});
  let previous: Promise<unknown> = Promise.resolve();
  const write = async (packed: Uint8Array): Promise<void> => {
    // The copy is needed because LevelDB's binding does not support shared memory.
    const batch = level.batch();
    replayBatch(packed.slice(), batch);
    await batch.write();
  };
  return {
    methods: {
      write(packed) {
        const writing = previous.then(() => write(packed));
        previous = writing.catch(() => undefined);
        return writing;
      },
    },
    close: () => level.close(),
  };
});
