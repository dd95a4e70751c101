/** Maximum length of a path segment that is shown: keys of providers are longer. */
const MAX_SEGMENT = 8;
/** Segments that are shown at any length. */
const FILE_NAME = /^[\w.-]+\.[a-z][a-z0-9]{0,5}$/i;

/**
 * Returns a URL for public output: scheme, host and path, without user name, password, query and fragment. Providers
 * often put a key into the path, so its long segments become `***`. Text without `://`, such as a folder, is returned
 * unchanged.
 */
export function shownUrl(text: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  if (scheme === undefined) return text;
  if (!URL.canParse(text)) return `${scheme}***`;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname === "/" ? "" : shownPath(pathname)}`;
}

/** Returns the path of a URL, in which segments that may be keys become `***`. */
export function shownPath(path: string): string {
  const isShown = (segment: string) => segment.length <= MAX_SEGMENT || FILE_NAME.test(segment);
  return path
    .split("/")
    .map((segment) => (isShown(segment) ? segment : "***"))
    .join("/");
}

/** Describes why `fetch`, or parsing its response, failed, without the URL and without text from the server. */
export function fetchFailure(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "SyntaxError") return "the answer is not JSON";
  if (name !== "TypeError") return message;
  // Messages about a malformed URL, or one with a user name, repeat it.
  if (cause instanceof Error && cause.name !== "TypeError") return `${message}: ${reasonOf(cause)}`;
  return "the URL is malformed, or contains a user name";
}

/** Returns the reason of the innermost error, as one line. */
function reasonOf({ message, code, cause }: Error & { code?: unknown }): string {
  if (cause instanceof Error) return reasonOf(cause);
  // The message lists the names in the server's certificate.
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || message === "") return String(code);
  const [, status] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  if (status !== undefined) return `the proxy answered with status ${status}`;
  // Messages of OpenSSL name a thread and a line of its source, too.
  const [, fault] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? [];
  return fault === undefined ? message : `TLS: ${fault}`;
}
