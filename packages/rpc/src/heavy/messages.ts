import type { NetworkConfig } from "@cambium/config";
import type { RpcConfig } from "../config.js";
import type { AnswerFault } from "../errors.js";
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

/** From a thread: the result as JSON text, the error a client is to see, or what went wrong unexpectedly. */
export type HeavyAnswer = { text: string } | { fault: AnswerFault } | { unexpected: string };

/** The first message of a thread: it takes tasks from now on. */
export const READY = "ready";

export type HeavyMessage = typeof READY | HeavyAnswer;
