import type { NetworkConfig } from "@cambium/config";
import type { RpcConfig } from "../config.js";
import type { HeavyTaskName, HeavyTasks } from "./tasks.js";

/** What a thread is started with. */
export interface HeavyThreadData {
  network: NetworkConfig;
  /** Folder of the chain's database. */
  location: string;
  config: RpcConfig;
}

/** To a thread: one task at a time. `timeout` in milliseconds; 0 is none. */
export interface HeavyRequest {
  name: HeavyTaskName;
  request: HeavyTasks[HeavyTaskName];
  timeout: number;
}

export interface HeavyMethods {
  /** The result as JSON text. Throws `RpcError`. */
  run(request: HeavyRequest): Promise<string>;
}
