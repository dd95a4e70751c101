import { isIP } from "node:net";
import type { HttpConfig } from "../config.js";

/**
 * Creates the check against DNS rebinding (`spec/09 §1.3`). A web page can point its own domain at this node, but its
 * requests then have that domain in the Host header. Requests without a host or with a literal IP address are served.
 */
export function createHostCheck({
  host,
  hosts,
}: Pick<HttpConfig, "host" | "hosts">): (header: string | undefined) => boolean {
  const allowed = new Set(["localhost", host, ...hosts].map((name) => name.toLowerCase()));
  // Most requests repeat the last accepted header.
  let lastAccepted: string | undefined;
  return (header) => {
    if (header === undefined || header === "" || header === lastAccepted || allowed.has("*")) return true;
    const name = withoutPort(header).toLowerCase();
    const isAccepted = allowed.has(name) || isIP(name) !== 0;
    if (isAccepted) lastAccepted = header;
    return isAccepted;
  };
}

/** Host name of a Host header; an IPv6 address loses its brackets. */
function withoutPort(header: string): string {
  const bracketed = /^\[([^\]]*)\](:\d*)?$/.exec(header);
  return bracketed ? bracketed[1]! : header.replace(/:\d*$/, "");
}
