import { parentPort, workerData } from "node:worker_threads";
import { openLevel } from "./level-opening.js";
import { replayBatch } from "./packed-batch.js";

/** To the writer: a batch, or the wish to end. */
export type WriterRequest = { id: number; batch: Uint8Array } | "close";

/** From the writer: a batch is on disk, or why not; or the writer has let go of the database. */
export type WriterAnswer = { id: number; error?: string } | "closed";

/** LevelDB takes longer to receive a batch than the interpreter to make one: a thread of its own hands it over. */
async function serve(location: string): Promise<void> {
  const level = await openLevel(location, {});
  const port = parentPort!;
  const answer = (message: WriterAnswer) => port.postMessage(message);
  let previous = Promise.resolve();
  port.on("message", (request: WriterRequest) => {
    previous = previous.then(async () => {
      if (request === "close") {
        await level.close();
        answer("closed");
        port.close();
        return;
      }
      try {
        // A copy, since LevelDB's binding is made for memory that is not shared.
        const batch = level.batch();
        replayBatch(request.batch.slice(), batch);
        await batch.write();
        answer({ id: request.id });
      } catch (error) {
        answer({ id: request.id, error: String(error) });
      }
    });
  });
}

await serve((workerData as { location: string }).location);
