import { PerformanceObserver, performance } from "node:perf_hooks";
import { counter, DURATIONS, forEach, gauge, histogram } from "./measurements.js";
import { isGarbageCollectionObserved, OWN_THREAD } from "./thread-sections.js";

/** Names of threads by their task; all other threads are `other`. */
const THREADS = [
  "main",
  "import",
  "sender recovery",
  "parallel lists",
  "database writer",
  "reader",
  "heavy work",
  "block building",
  "pending block",
  "other",
] as const;
type ThreadName = (typeof THREADS)[number];

/** Milliseconds between samples of the event loop. */
const INTERVAL = 1_000;

const LAG = forEach(THREADS, (thread) =>
  histogram("cambium_event_loop_lag_seconds", "Delay of a timer that fires every second", DURATIONS, { thread }),
);
const BUSY = forEach(THREADS, (thread) =>
  counter("cambium_thread_busy_seconds_total", "Time in which the threads of a kind were not idle", { thread }),
);
const COLLECTIONS = forEach(THREADS, (thread) =>
  histogram("cambium_gc_duration_seconds", "Pauses for collections of garbage", DURATIONS, { thread }),
);
const CALLS = forEach(THREADS, (thread) =>
  gauge("cambium_thread_calls", "Calls to the threads of a kind that are not answered yet", { thread }),
);

function threadName(name: string): ThreadName {
  return THREADS.find((one) => one === name) ?? "other";
}

/** Returns the gauge of unanswered calls to the threads with a name. */
export function callsOf(name: string): { add(amount: number): void } {
  return CALLS[threadName(name)];
}

/** Starts the measurement of the calling thread; does not keep the thread alive. */
export function measureThread(): void {
  const thread = threadName(OWN_THREAD);
  const [lag, busy, collections] = [LAG[thread], BUSY[thread], COLLECTIONS[thread]];
  let due = performance.now() + INTERVAL;
  let latest = performance.eventLoopUtilization();
  const sample = () => {
    const now = performance.now();
    lag.observe(Math.max(now - due, 0) / 1_000);
    due = now + INTERVAL;
    const usage = performance.eventLoopUtilization();
    busy.add(Math.max(usage.active - latest.active, 0) / 1_000);
    latest = usage;
  };
  setInterval(sample, INTERVAL).unref();
  if (!isGarbageCollectionObserved()) return;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collections.observe(duration / 1_000);
  }).observe({ entryTypes: ["gc"] });
}
