import type { NetworkConfig } from "@cambium/config";
import type { RpcConfig } from "../config.js";
import type { HeavyTaskName, HeavyTasks } from "./tasks.js";

/** Start-up data of a thread. */
export interface HeavyThreadData {
  network: NetworkConfig;
  /** Directory of the chain's database. */
  location: string;
  config: RpcConfig;
}

/** A task for a thread, which runs one at a time. `timeout` in milliseconds; 0: no limit. */
export interface HeavyRequest {
  name: HeavyTaskName;
  request: HeavyTasks[HeavyTaskName];
  timeout: number;
}

export interface HeavyMethods {
  /** Resolves to the result as JSON text. Rejects with the task's `RpcError`. */
  run(request: HeavyRequest): Promise<string>;
}
