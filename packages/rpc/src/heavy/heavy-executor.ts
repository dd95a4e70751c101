import type { Deadline } from "../limits.js";
import type { HeavyTaskName, HeavyTasks } from "./tasks.js";

/**
 * Where work runs that can take long. Requests are plain data: blocks are given by hash, so that what is answered does
 * not depend on when the work starts.
 */
export interface HeavyExecutor {
  /**
   * Result of a task, possibly as {@link JsonText}. Rejects with {@link RpcError}; `LIMIT_EXCEEDED` when the deadline
   * passes, when too much is waiting already, or when the client went away.
   */
  run<Name extends HeavyTaskName>(name: Name, request: HeavyTasks[Name], deadline: Deadline): Promise<unknown>;
  /** Gives up what is under way and waiting. */
  close(): Promise<void>;
}
