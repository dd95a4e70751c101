import type { Deadline } from "../limits/deadline.js";
import type { HeavyTaskName, HeavyTasks } from "./tasks.js";

/**
 * Executor of long-running tasks. Requests are plain data and identify blocks by hash, so that the result does not
 * depend on when the task starts.
 */
export interface HeavyExecutor {
  /**
   * Runs a task and resolves to its result, possibly as {@link JsonText}. Rejects with the task's {@link RpcError}, or
   * with `LIMIT_EXCEEDED` if the deadline passes, the queue is full or the client disconnects.
   */
  run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown>;
  /** Cancels running and queued tasks. */
  close(): Promise<void>;
}
