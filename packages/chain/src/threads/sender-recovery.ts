import { ThreadClient, threadEntry } from "@cambium/primitives";
import type { RecoveryMethods } from "./sender-recovery-thread.js";

/** The thread holds no state; a small heap is collected often and stays small. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 };
/** Maximum number of calls in flight; more than an import has queued. */
const MAX_IN_FLIGHT = 256;

/**
 * Recovers the signers of transactions in a separate thread, ahead of the import: recovery costs more than executing a
 * simple transfer.
 */
export class SenderRecovery {
  private readonly client = new ThreadClient<RecoveryMethods>({
    name: "sender recovery",
    entry: threadEntry("./sender-recovery-thread.js", import.meta.url),
    resourceLimits: WORKER_MEMORY,
    maxInFlight: MAX_IN_FLIGHT,
  });

  /** Signers of each encoded block, for `applySenders`. Rejects with `ThreadError` if the thread fails. */
  recover(blocks: readonly Uint8Array[]): Promise<Uint8Array[]> {
    return this.client.call("recover", blocks.map(compact));
  }

  close(): Promise<void> {
    return this.client.terminate();
  }
}

/** Copies a view, since posting it to a thread would copy its whole underlying buffer. */
export function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
