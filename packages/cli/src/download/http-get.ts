import { getProxyForUrl } from "proxy-from-env";
import { fetch, ProxyAgent, type Response } from "undici";

/** Maximum number of redirects that a request follows. */
const MAX_REDIRECTS = 5;

export interface HttpGetOptions {
  headers?: Record<string, string>;
  signal: AbortSignal;
}

/**
 * Sends a GET request, through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the environment define.
 * Follows a few redirects, but none from https to http. Rejects as `fetch` does.
 */
export async function httpGet(url: URL, options: HttpGetOptions): Promise<Response> {
  let at = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(at, { ...options, redirect: "manual", ...viaProxy(at) });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    at = redirected(at, location);
  }
  throw new Error(`the server redirects more than ${MAX_REDIRECTS} times`);
}

/** Returns the target of a redirection. Throws for other schemes than https, and for http after https. */
function redirected(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:")) return to;
  throw new Error("the server redirects to an address that is not https");
}

const agents = new Map<string, ProxyAgent>();

function viaProxy(url: URL): { dispatcher?: ProxyAgent } {
  const proxy = getProxyForUrl(url);
  if (proxy === "") return {};
  let agent = agents.get(proxy);
  if (agent === undefined) {
    // The variable may contain a password.
    if (!/^https?:\/\//i.test(proxy) || !URL.canParse(proxy)) {
      throw new Error("the proxy in HTTPS_PROXY or HTTP_PROXY is not an address that begins with http:// or https://");
    }
    agent = new ProxyAgent(proxy);
    agents.set(proxy, agent);
  }
  return { dispatcher: agent };
}
