import { isLoopback, parseIp } from "@cambium/primitives";

/** Entry of a list of CORS origins: pages that the browser's own machine serves, and browser extensions. */
export const OWN_MACHINE = "own-machine";

/** Whether only programs on this machine can connect to a listening address. */
export function isOwnHost(host: string): boolean {
  const ip = parseIp(host);
  return ip === undefined ? host.toLowerCase() === "localhost" : isLoopback(ip);
}

/** The settings that determine whether the web page is served. */
interface PageSettings {
  http: { host: string; dashboard: boolean | "own-machine" };
  auth: { keys: readonly string[]; redis?: string | undefined };
}

/**
 * Whether the web page is served: by default only to this machine, and not to holders of API keys, which are remote.
 */
export function servesDashboard({ http, auth }: PageSettings): boolean {
  if (typeof http.dashboard === "boolean") return http.dashboard;
  return !requiresKeys(auth) && isOwnHost(http.host);
}

/** Whether requests need an API key. */
export function requiresKeys({ keys, redis }: PageSettings["auth"]): boolean {
  return keys.length > 0 || redis !== undefined;
}
