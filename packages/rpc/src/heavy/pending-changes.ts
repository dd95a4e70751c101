import type { SimulatedCandidate } from "@cambium/api";
import { EMPTY_BYTES } from "@cambium/primitives";
import type { HeavyRequest } from "./messages.js";

/** Sends the new nodes of a pending block to a thread once, with the first request on that block. */
export class PendingChangesSender {
  private sent: Uint8Array | undefined;

  /** Reduces the request for the thread. All results must be sent, in the order of the calls. */
  reduce(request: HeavyRequest): HeavyRequest {
    const pending = pendingOf(request);
    if (pending === undefined) return request;
    if (pending.stateChanges === this.sent) return withChanges(request, pending, EMPTY_BYTES);
    this.sent = pending.stateChanges;
    return request;
  }
}

/** The thread's side of {@link PendingChangesSender}; keeps the nodes of one pending block. */
export class PendingChangesReceiver {
  private received: Uint8Array = EMPTY_BYTES;

  /** Restores the request from its reduced form. */
  complete(request: HeavyRequest): HeavyRequest {
    const pending = pendingOf(request);
    if (pending === undefined) return request;
    if (pending.stateChanges.length === 0) return withChanges(request, pending, this.received);
    this.received = pending.stateChanges;
    return request;
  }
}

function pendingOf({ request }: HeavyRequest): SimulatedCandidate | undefined {
  return "pending" in request ? request.pending : undefined;
}

function withChanges(
  { name, request }: HeavyRequest,
  pending: SimulatedCandidate,
  stateChanges: Uint8Array,
): HeavyRequest {
  return { name, request: { ...request, pending: { ...pending, stateChanges } } };
}
