import { readFileSync } from "node:fs";
import { CliError } from "./errors.js";

/** Open files that a node may need: tables of the database, connections of peers and clients, modules while it starts. */
const NEEDED = 1024;

/** Throws {@link CliError} `START` if the operating system allows too few open files. Only Linux is asked. */
export function requireOpenFiles(): void {
  const limit = openFileLimit();
  if (limit === undefined || limit >= NEEDED) return;
  const advice = `raise the limit with "ulimit -n", or with LimitNOFILE in a systemd unit`;
  throw new CliError({
    code: "START",
    reason: `only ${limit} open files are allowed, and a node needs ${NEEDED}; ${advice}`,
  });
}

/** The soft limit, which Node.js has raised to the hard one; undefined if it is unlimited or unknown. */
function openFileLimit(): number | undefined {
  try {
    const [, limit] = readFileSync("/proc/self/limits", "latin1").match(/^Max open files +(\d+)/m) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}
