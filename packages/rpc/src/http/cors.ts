import type { RequestHead } from "./access.js";
import { type Origins, originAllowed } from "./origins.js";
import type { HeaderList } from "./response.js";

/** Methods that pages, and all other clients, may use. */
export const METHODS = "POST, OPTIONS";

const PREFLIGHT: HeaderList = [
  "access-control-allow-methods",
  METHODS,
  "access-control-allow-headers",
  "Content-Type, Accept",
  "access-control-max-age",
  "600",
];
const ANY_ORIGIN: HeaderList = ["access-control-allow-origin", "*"];
const VARIES: HeaderList = ["vary", "Origin"];

/** Headers by which a browser lets the page that sent a request read the response (`spec/09 §1.3`). */
export function corsHeaders(origins: Origins, { headers, method }: RequestHead): HeaderList {
  const own = originHeaders(origins, headers.origin);
  return method === "OPTIONS" ? [...own, ...PREFLIGHT] : own;
}

function originHeaders(origins: Origins, origin: string | undefined): HeaderList {
  if (origins === "*") return ANY_ORIGIN;
  if (origin === undefined || !originAllowed(origins, origin)) return VARIES;
  return ["access-control-allow-origin", origin, ...VARIES];
}
