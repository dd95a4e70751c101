/** Characters of the longest path segment that is shown: the keys of providers are longer. */
const MAX_SEGMENT = 8;
/** A segment that is shown whatever its length. */
const FILE_NAME = /^[\w.-]+\.[a-z][a-z0-9]{0,5}$/i;

/**
 * A URL as it may be shown to anyone: scheme, host and path, without user name, password, query and fragment. Many providers have the key in the
 * path, so its long segments are `***`. Text without `://`, such as the path of a folder, is returned unchanged.
 */
export function shownUrl(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme === undefined) return text;
  if (!URL.canParse(text)) return `${scheme}***`;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === "/" ? "" : shownPath(pathname)}`;
}

/** The path of a URL, in which segments that may be keys are `***`. */
export function shownPath(path: string): string {
  const isShown = (segment: string) => segment.length <= MAX_SEGMENT || FILE_NAME.test(segment);
  return path
    .split("/")
    .map((segment) => (isShown(segment) ? segment : "***"))
    .join("/");
}

/** Why `fetch`, or reading its response as JSON, failed: without the URL and without text of the other side. */
export function fetchFailure(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "SyntaxError") return "the answer is not JSON";
  if (name !== "TypeError") return message;
  // Messages about malformed URLs, and about those with a user name, repeat them.
  if (cause instanceof Error && cause.name !== "TypeError") return `${message}: ${reasonOf(cause)}`;
  return "the URL is malformed, or contains a user name";
}

function reasonOf({ message, code }: Error & { code?: unknown }): string {
  // Its message lists the names in the certificate of the other side.
  const isForeign = code === "ERR_TLS_CERT_ALTNAME_INVALID";
  return isForeign || message === "" ? String(code) : message;
}
