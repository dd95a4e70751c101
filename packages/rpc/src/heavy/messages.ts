import type { HeavyTaskName, HeavyTasks } from "@cambium/api";
import type { NetworkConfig } from "@cambium/config";
import type { RpcConfig } from "../config.js";

/** Start-up data of a thread. */
export interface HeavyThreadData {
  network: NetworkConfig;
  /** Directory of the chain's database. */
  location: string;
  config: RpcConfig;
  /** Memory shared with the thread: number of the latest interrupted task, which must end. */
  interrupted: Int32Array;
}

export interface HeavyRequest {
  name: HeavyTaskName;
  request: HeavyTasks[HeavyTaskName];
}

/** A task for a thread, which runs one at a time. */
export interface HeavyTask extends HeavyRequest {
  /** Increases with each task. */
  number: number;
  /**
   * Maximum gas of a native call. Before a larger one, the task ends as if it were interrupted, because the call would
   * take long.
   */
  maxNativeGas: number;
}

export interface HeavyMethods {
  /** Resolves to the result as JSON text; undefined if the task was interrupted. Rejects with the task's `RpcError`. */
  run(task: HeavyTask): Promise<string | undefined>;
}
