import type { Deadline, HeavyExecutor, HeavyTaskName, HeavyTasks } from "@cambium/api";
import { HeavyThreadPool } from "./heavy-thread-pool.js";
import type { HeavyThreadData } from "./messages.js";

/** Interactive tasks, which never wait behind a trace. */
const CALLS: ReadonlySet<HeavyTaskName> = new Set([
  "accessList",
  "call",
  "estimateGas",
  "feeHistory",
  "proof",
  "simulateBlocks",
]);

/**
 * Runs tasks in threads that read the same database. Threads start on first use. A task that exceeds its deadline is
 * interrupted. A task that exceeds the thread's memory fails, and the thread is replaced. Like the main thread's
 * reader, threads see only blocks that are on disk.
 */
export class ThreadedExecutor implements HeavyExecutor {
  private readonly calls: HeavyThreadPool;
  private readonly traces: HeavyThreadPool;

  constructor(data: Omit<HeavyThreadData, "interrupted">) {
    const { callThreads, traceThreads } = data.config.heavy;
    this.calls = new HeavyThreadPool(data, callThreads);
    this.traces = new HeavyThreadPool(data, traceThreads);
  }

  run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown> {
    return (CALLS.has(name) ? this.calls : this.traces).run({ name, request }, deadline);
  }

  async close(): Promise<void> {
    await Promise.all([this.calls.close(), this.traces.close()]);
  }
}
