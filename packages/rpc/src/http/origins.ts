import type { HttpConfig } from "../config.js";
import { RpcServerError } from "../errors.js";
import { OWN_MACHINE } from "../own-host.js";

/**
 * Allowed CORS origins (`spec/09 §1.3`): any, or those that are named, and with `ofOwnMachine` those of {@link
 * OWN_MACHINE}.
 */
export type Origins = "*" | { named: readonly string[]; ofOwnMachine: boolean };

/** Origins of pages that the browser's own machine serves; pages of other hosts cannot have them. */
const LOCAL_PAGE = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;
/** Origins of browser extensions, such as wallets. Users install them; pages cannot have these origins. */
const EXTENSION = /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/;

/** The configured origins. Throws {@link RpcServerError} `INVALID_CONFIGURATION` if one cannot be sent in a header. */
export function allowedOrigins({ cors }: Pick<HttpConfig, "cors">): Origins {
  for (const origin of cors) {
    if (/[\r\n]/.test(origin)) {
      throw new RpcServerError({
        code: "INVALID_CONFIGURATION",
        option: "http.cors",
        reason: "an origin contains a line break",
      });
    }
  }
  if (cors.includes("*")) return "*";
  return { named: cors.map(normalised), ofOwnMachine: cors.includes(OWN_MACHINE) };
}

/** Whether a request with this Origin header is served. Without the header it does not come from a web page. */
export function originAllowed(origins: Origins, header: string | undefined): boolean {
  if (header === undefined || origins === "*" || origins.named.includes(header)) return true;
  return origins.ofOwnMachine && (LOCAL_PAGE.test(header) || EXTENSION.test(header));
}

/** An origin as browsers send it: lower case, without default port or trailing slash. */
function normalised(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}
