import type { Deadline } from "../limits/deadline.js";
import type { HeavyExecutor } from "./heavy-executor.js";
import { type HeavyTaskName, type HeavyTasks, runTask, type TaskParts } from "./tasks.js";

/** Runs tasks in the calling thread: for chains in memory, which no other thread can read. */
export class InProcessExecutor implements HeavyExecutor {
  constructor(private readonly parts: TaskParts) {}

  run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown> {
    return runTask(name, this.parts, request, deadline);
  }

  async close(): Promise<void> {}
}
