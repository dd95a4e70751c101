import { isBusy, nextTurn, TurnTaker } from "@cambium/api";
import type { RpcResponse } from "./responses.js";

/** Milliseconds until a batch lets other requests run for the first time. */
const FIRST_SLICE = 1;

/** Number of a batch's requests that the threads for heavy work have at a time. */
const MAX_OVERLAPPING = 8;

export type Eventually<T> = T | Promise<T>;

/** Answers the requests of a batch. */
export interface Answering {
  /** Answers a request; undefined for notifications. Returns a promise only if the method returns one. */
  answer(request: unknown): Eventually<RpcResponse | undefined>;
  /** Whether the request only executes in the threads for heavy work. */
  isHeavy(request: unknown): boolean;
}

/**
 * Emits the responses to a batch in request order, undefined for notifications. Requests run one after the other, so
 * that writes keep their order. Only heavy ones overlap.
 */
export async function answerBatch(
  requests: readonly unknown[],
  answering: Answering,
  emit: (response: RpcResponse | undefined, request: unknown) => void,
): Promise<void> {
  if (isBusy()) await nextTurn();
  const turns = new TurnTaker(FIRST_SLICE);
  const inProgress: { request: unknown; response: Eventually<RpcResponse | undefined> }[] = [];
  const emitFirst = async () => {
    const { request, response } = inProgress.shift()!;
    emit(await response, request);
  };
  for (const request of requests) {
    const overlaps = answering.isHeavy(request);
    while (inProgress.length >= (overlaps ? MAX_OVERLAPPING : 1)) await emitFirst();
    const response = answering.answer(request);
    if (overlaps) inProgress.push({ request, response: awaitedLater(response) });
    else emit(response instanceof Promise ? await response : response, request);
    const pause = turns.pause();
    if (pause !== undefined) await pause;
  }
  while (inProgress.length > 0) await emitFirst();
}

/**
 * Returns a promise whose rejection is handled when it is awaited. If an earlier promise rejects, the rejection is
 * ignored.
 */
function awaitedLater<T>(response: Eventually<T>): Eventually<T> {
  if (response instanceof Promise) response.catch(() => undefined);
  return response;
}
