import { subscribe } from "node:diagnostics_channel";
import { getEnvironmentData, isMainThread, setEnvironmentData } from "node:worker_threads";

// node --import=…/counting.js: counts the work of the main thread on blocks and, separately, that of all other threads.
// It is plain JavaScript because workers load it too, and they start without tsx.

const KEY = "codec work";
const KINDS = ["header", "transactions", "transactionsRoot", "sender"];

const counts = getEnvironmentData(KEY) ?? new Int32Array(new SharedArrayBuffer(2 * 4 * KINDS.length));
setEnvironmentData(KEY, counts);
const first = isMainThread ? 0 : KINDS.length;
subscribe("cambium:codec-work", (kind) => Atomics.add(counts, first + KINDS.indexOf(kind), 1));

/** Returns the counts since the last call, by thread. */
export function takeCounts() {
  const taken = Array.from(counts, (_, index) => Atomics.exchange(counts, index, 0));
  const byKind = (from) => Object.fromEntries(KINDS.map((kind, index) => [kind, taken[from + index]]));
  return { main: byKind(0), others: byKind(KINDS.length) };
}
