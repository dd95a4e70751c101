import type { TransactionPoolApi } from "@cambium/txpool";
import { IN_MAIN_THREAD } from "../requests/interface.js";
import { absent } from "./absent-parts.js";

/** A replica's mirror of its writer's pool. */
export interface MirroredPool extends Pick<TransactionPoolApi, "pending" | "queued" | "get" | "counts" | "on"> {
  /** Whether the mirror is complete, as far as the replica knows. */
  isCurrent(): boolean;
}

/** The pool of a replica, answered from a current mirror. Everything else is requested from the writer. */
export function mirroredPool(mirror: MirroredPool): TransactionPoolApi {
  const current = (): MirroredPool => {
    if (mirror.isCurrent()) return mirror;
    throw IN_MAIN_THREAD;
  };
  const known: Partial<TransactionPoolApi> = {
    pending: () => current().pending(),
    queued: () => current().queued(),
    counts: () => current().counts(),
    get: (hash) => mirror.get(hash) ?? current().get(hash),
    on: (listener) => mirror.on(listener),
  };
  return Object.setPrototypeOf(known, absent<TransactionPoolApi>());
}
