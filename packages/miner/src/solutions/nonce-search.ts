import { setImmediate as nextTurn } from "node:timers/promises";
import { MergedMiningError, parentHeaderWork } from "@cambium/merged-mining";

/** Number of attempts before yielding to the event loop, about ten milliseconds. */
const ATTEMPTS_PER_TURN = 8192;
const NONCES = 2 ** 32;
const NONCE_OFFSET = 76;

/**
 * Returns a copy of a parent-chain header with a nonce that meets the target, for the low difficulties of local and
 * test networks. Calls `onProgress` often, with the number of attempts so far. Rejects with {@link MergedMiningError}
 * `NOT_SOLVED` if there is none, or with the signal's reason if aborted.
 */
export async function searchNonce(
  header: Uint8Array,
  target: bigint,
  signal?: AbortSignal,
  onProgress?: (attempts: number) => void,
): Promise<Uint8Array> {
  const solved = header.slice();
  const view = new DataView(solved.buffer);
  for (let nonce = 0; nonce < NONCES; nonce++) {
    view.setUint32(NONCE_OFFSET, nonce, true);
    if (parentHeaderWork(solved) <= target) return solved;
    if (nonce % ATTEMPTS_PER_TURN === ATTEMPTS_PER_TURN - 1) {
      await nextTurn();
      signal?.throwIfAborted();
      onProgress?.(nonce + 1);
    }
  }
  throw new MergedMiningError({ code: "NOT_SOLVED", attempts: NONCES });
}
