import type { Deadline } from "../limits.js";
import type { HeavyExecutor } from "./heavy-executor.js";
import { HeavyLane } from "./heavy-lane.js";
import type { HeavyThreadData } from "./messages.js";
import type { HeavyTaskName, HeavyTasks } from "./tasks.js";

/** Tasks that clients wait for while they show something: they never stand behind a trace. */
const CALLS: ReadonlySet<HeavyTaskName> = new Set(["call", "estimateGas", "proof"]);

/**
 * Runs tasks in threads that read the same database. Threads start when they are needed first; one whose task takes too
 * long is ended and replaced. They see blocks that are on disk, which is where this process reads them too.
 */
export class ThreadedExecutor implements HeavyExecutor {
  private readonly calls: HeavyLane;
  private readonly traces: HeavyLane;

  constructor(data: HeavyThreadData) {
    const { callThreads, traceThreads } = data.config.heavy;
    this.calls = new HeavyLane(data, callThreads);
    this.traces = new HeavyLane(data, traceThreads);
  }

  run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown> {
    return (CALLS.has(name) ? this.calls : this.traces).run({ name, request }, deadline);
  }

  async close(): Promise<void> {
    await Promise.all([this.calls.close(), this.traces.close()]);
  }
}
