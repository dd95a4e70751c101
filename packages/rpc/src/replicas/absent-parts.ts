import type { DispatcherParts } from "../requests/dispatcher.js";
import { IN_MAIN_THREAD } from "../requests/interface.js";

function elsewhere(): never {
  throw IN_MAIN_THREAD;
}

/** Returns a placeholder for a part of the node that this thread or process lacks. */
export function absent<T extends object>(): T {
  return new Proxy<T>({} as T, { get: elsewhere });
}

/** Pending state: requests that turn out to need it are forwarded. */
export const PENDING_ELSEWHERE: Pick<DispatcherParts, "pool" | "pendingState" | "pendingBlock" | "pendingGasLimit"> = {
  pool: absent<DispatcherParts["pool"]>(),
  pendingState: absent<NonNullable<DispatcherParts["pendingState"]>>(),
  pendingBlock: elsewhere,
  pendingGasLimit: elsewhere,
};
