import type { IncomingHttpHeaders } from "node:http";
import type { RpcConfig } from "../config.js";
import { servesDashboard } from "../own-host.js";
import { createHostCheck } from "./host-check.js";

/**
 * Whether the page of this server has sent a request. Only names that the configuration spells out count, so that a
 * domain that was pointed at this node is no such page even if any host is accepted.
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

/** The check of hosts for which `*` is no name. */
export function createNamedHostCheck({ http }: Pick<RpcConfig, "http">): (header: string | undefined) => boolean {
  return createHostCheck({ host: http.host, hosts: http.hosts.filter((name) => name !== "*") });
}
