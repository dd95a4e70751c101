import type { RequestListener, Server } from "node:http";
import { ByteBudget } from "../connections/byte-budget.js";
import { ConnectionTable } from "../connections/connection-table.js";
import { createHostCheck } from "./host-check.js";
import { createListener, type TimeLimits } from "./listener.js";
import { sendEmpty } from "./response.js";

/** Limits of the server for metrics and health. */
export interface SideServerLimits extends TimeLimits {
  /** Listening address. */
  host: string;
  /** Accepted `Host` names besides `localhost`, the listening host and literal IP addresses; `*` accepts any. */
  hosts: readonly string[];
  maxConnections: number;
}

/** Creates an HTTP server for a few clients, with the checks of JSON-RPC that do not depend on its configuration. */
export function createSideServer(limits: SideServerLimits, listener: RequestListener): Server {
  const budgets = { unread: new ByteBudget(0), unsent: new ByteBudget(0) };
  const table = new ConnectionTable({ maximum: limits.maxConnections, perClient: 0 }, budgets);
  const hostAccepted = createHostCheck(limits);
  return createListener(limits, table, (request, response) => {
    if (hostAccepted(request.headers.host)) listener(request, response);
    else sendEmpty(response, 403);
  });
}
