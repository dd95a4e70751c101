import type { Deadline } from "../limits.js";
import type { RpcModules } from "../requests/method.js";
import type { LogFilter } from "./log-filter.js";
import { allowedRange, searchLogs } from "./log-search.js";

/** Longest range that is searched in the main thread. */
const NARROW = 100;

/** Like `searchLogs`, but searches wide ranges in the threads for heavy work. */
export async function queryLogs(modules: RpcModules, filter: LogFilter, deadline: Deadline): Promise<unknown> {
  const { chain, config, heavy } = modules;
  const range = filter.blocks.kind === "range" ? allowedRange(chain, config, filter.blocks) : undefined;
  if (range === undefined || range.to - range.from < NARROW) return searchLogs(chain, config, filter, deadline);
  return heavy.run("logs", { range, match: filter.match }, deadline);
}
