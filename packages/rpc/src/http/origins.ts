import type { HttpConfig } from "../config.js";
import { RpcError } from "../errors.js";

/** Allowed CORS origins (`spec/09 §1.3`); `*` allows any. */
export type Origins = "*" | readonly string[];

/** The configured origins. Throws {@link RpcError} `INVALID_CONFIGURATION` if one cannot be sent in a header. */
export function allowedOrigins({ cors }: HttpConfig): Origins {
  for (const origin of cors) {
    if (/[\r\n]/.test(origin)) {
      throw new RpcError({
        code: "INVALID_CONFIGURATION",
        option: "http.cors",
        reason: "an origin contains a line break",
      });
    }
  }
  return cors.includes("*") ? "*" : cors.map(normalised);
}

/** Whether a request with this Origin header is served. Without the header it does not come from a web page. */
export function originAllowed(origins: Origins, header: string | undefined): boolean {
  return header === undefined || origins === "*" || origins.includes(header);
}

/** An origin as browsers send it: lower case, without default port or trailing slash. */
function normalised(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}
