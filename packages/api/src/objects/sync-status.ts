import { toQuantity } from "@cambium/primitives";
import type { SyncStatus } from "../sources/events.js";

/** Sync status (`spec/09 §6.5`). */
export type SyncStatusObject = false | { startingBlock: string; currentBlock: string; highestBlock: string };

export function syncStatusObject(status: SyncStatus): SyncStatusObject {
  if (status === false) return false;
  return {
    startingBlock: toQuantity(status.startingBlock),
    currentBlock: toQuantity(status.currentBlock),
    highestBlock: toQuantity(status.highestBlock),
  };
}
