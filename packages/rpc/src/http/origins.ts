import type { HttpConfig } from "../config.js";
import { RpcError } from "../errors.js";

/** Web pages that may call (`spec/09 §1.3`): any, or those of these origins. */
export type Origins = "*" | readonly string[];

/** Throws {@link RpcError} `INVALID_CONFIGURATION` for what cannot stand in a header. */
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

/** Whether a request with this Origin header is served; one without comes from no web page. */
export function originAllowed(origins: Origins, header: string | undefined): boolean {
  return header === undefined || origins === "*" || origins.includes(header);
}

/** As browsers write it: lower case, without a default port or a trailing slash. */
function normalised(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).origin : origin;
}
