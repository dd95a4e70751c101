import type { MethodParts } from "../definition/method.js";
import type { Deadline, WorkLimit } from "../limits/deadline.js";
import type { LogFilter } from "../logs/log-filter.js";
import { logRequest, searchLogs } from "../logs/log-search.js";

/** Longest range that is searched in the main thread, and the milliseconds for it. */
const NARROW = 100;
const SHORT = 10;

/** Ends a search that takes too long for the main thread. */
class TakesLong extends Error {}

/** Searches in the main thread if that takes little time, otherwise in the threads for heavy work. */
export async function queryLogs(parts: MethodParts, filter: LogFilter, deadline: Deadline): Promise<unknown> {
  const { chain, config, heavy } = parts;
  const request = logRequest(chain, config, filter);
  if (request === undefined) return [];
  const { blocks } = request;
  if (blocks instanceof Uint8Array || blocks.to - blocks.from < NARROW) {
    try {
      return await searchLogs(chain, config, request, shortly(deadline));
    } catch (error) {
      if (!(error instanceof TakesLong)) throw error;
    }
  }
  return heavy.run("logs", request, deadline);
}

function shortly(deadline: Deadline): WorkLimit {
  const end = performance.now() + SHORT;
  return {
    check() {
      deadline.check();
      if (performance.now() > end) throw new TakesLong();
    },
  };
}
