import type { RequestHead } from "./access.js";
import { type Origins, originAllowed } from "./origins.js";
import type { HeaderList } from "./response.js";

/** Methods that pages, and all other clients, may use. */
export const METHODS = "POST, OPTIONS";

const REQUEST_HEADERS = "Content-Type, Accept";
/** Pattern of header names in a browser's request. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(, ?[\w!#$%&'*+.^`|~-]+)*$/;
const ASKED_HEADERS = "access-control-request-headers";
const MAX_HEADER_NAMES = 1_024;
const PREFLIGHT: HeaderList = ["access-control-allow-methods", METHODS, "access-control-max-age", "600"];
const ANY_ORIGIN: HeaderList = ["access-control-allow-origin", "*"];
const VARIES: HeaderList = ["vary", "Origin"];

/**
 * Returns headers that let the page that sent a request read the response (`spec/09 §1.3`). `own` is another header
 * that requests and responses may have. A page with an allowed origin may send any header: wallets add some.
 */
export function corsHeaders(origins: Origins, { headers, method }: RequestHead, own?: string): HeaderList {
  const list = originHeaders(origins, headers.origin);
  if (method !== "OPTIONS") return own === undefined ? list : [...list, "access-control-expose-headers", own];
  const usual = own === undefined ? REQUEST_HEADERS : `${REQUEST_HEADERS}, ${own}`;
  const asked = origins === "*" || originAllowed(origins, headers.origin) ? namesIn(headers[ASKED_HEADERS]) : undefined;
  return [...list, ...PREFLIGHT, "access-control-allow-headers", asked ?? usual];
}

function namesIn(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== "string" || header.length > MAX_HEADER_NAMES) return undefined;
  return HEADER_NAMES.test(header) ? header : undefined;
}

function originHeaders(origins: Origins, origin: string | undefined): HeaderList {
  if (origins === "*") return ANY_ORIGIN;
  if (origin === undefined || !originAllowed(origins, origin)) return VARIES;
  return ["access-control-allow-origin", origin, ...VARIES];
}
