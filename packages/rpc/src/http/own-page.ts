import type { IncomingHttpHeaders } from "node:http";
import type { RpcConfig } from "../config.js";
import { servesDashboard } from "../own-host.js";
import { createHostCheck } from "./host-check.js";

/**
 * Creates the check whether the page of this server has sent a request. Only names in the configuration count. A
 * foreign domain that points at this node is therefore no such page, even if any host is accepted.
 */
export function createOwnPageCheck(
  config: Pick<RpcConfig, "http" | "auth">,
): (headers: IncomingHttpHeaders) => boolean {
  if (!servesDashboard(config)) return () => false;
  const isKnownHost = createNamedHostCheck(config);
  return ({ host, origin }) => {
    return Boolean(host) && (origin === `http://${host}` || origin === `https://${host}`) && isKnownHost(host);
  };
}

/** Creates the check of hosts that does not treat `*` as a name. */
export function createNamedHostCheck({ http }: Pick<RpcConfig, "http">): (header: string | undefined) => boolean {
  return createHostCheck({ host: http.host, hosts: http.hosts.filter((name) => name !== "*") });
}
