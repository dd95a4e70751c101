import type { HttpConfig } from "../config.js";
import { RpcServerError } from "../errors.js";
import { Proxies } from "../proxies.js";

const byConfig = new WeakMap<readonly string[], Proxies>();

/**
 * Returns the proxies of a configuration; undefined if there are none. Throws {@link RpcServerError}
 * `INVALID_CONFIGURATION` if an address is malformed.
 */
export function trustedProxies({ proxies }: HttpConfig): Proxies | undefined {
  if (proxies.length === 0) return undefined;
  let trusted = byConfig.get(proxies);
  if (trusted === undefined) {
    trusted = Proxies.of(proxies);
    if (trusted === undefined) {
      const reason = "one is neither an address nor a network such as 10.0.0.0/8";
      throw new RpcServerError({ code: "INVALID_CONFIGURATION", option: "http.proxies", reason });
    }
    byConfig.set(proxies, trusted);
  }
  return trusted;
}
