import { workerData } from "node:worker_threads";
import { serveThread } from "@cambium/primitives";
import { openLevel } from "./level-opening.js";
import { replayBatch } from "./packed-batch.js";

export interface LevelWriterMethods {
  /** A batch as `packBatch` has it. Batches are written in the order of the calls. */
  write(packed: Uint8Array): Promise<void>;
}

/** LevelDB takes longer to receive a batch than the interpreter to make one: a thread of its own passes it on. */
await serveThread<LevelWriterMethods>(async () => {
  const level = await openLevel((workerData as { location: string }).location, {});
  let previous: Promise<unknown> = Promise.resolve();
  const write = async (packed: Uint8Array): Promise<void> => {
    // A copy, since LevelDB's binding is made for memory that is not shared.
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
