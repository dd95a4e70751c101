import { ThreadClient, threadEntry } from "@cambium/primitives";
import type { RecoveryMethods } from "./sender-recovery-thread.js";

/** The thread holds no state; a small heap is collected often and stays small. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };
/** Calls with the thread; more than any import has ahead of it. */
const MAX_IN_FLIGHT = 256;

/**
 * Recovers the signers of transactions in a thread of its own, ahead of the import: recovery costs more than the
 * execution of a simple transfer.
 */
export class SenderRecovery {
  private readonly client = new ThreadClient<RecoveryMethods>({
    name: "sender recovery",
    entry: threadEntry("./sender-recovery-thread.js", import.meta.url),
    resourceLimits: WORKER_MEMORY,
    maxInFlight: MAX_IN_FLIGHT,
  });

  /** Signers for each of the encoded blocks, to be used with `applySenders`. Rejects with `ThreadError`. */
  recover(blocks: readonly Uint8Array[]): Promise<Uint8Array[]> {
    return this.client.call("recover", blocks.map(compact));
  }

  close(): Promise<void> {
    return this.client.terminate();
  }
}

/** Posting a view to a thread would copy all the memory it looks into. */
export function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
