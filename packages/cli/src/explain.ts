import { CliError, explainCliError } from "./errors.js";

/**
 * Describes any error of a command line as one line of text; `origins` are those of values that no flag has set, by
 * flag.
 */
export async function explain(
  error: unknown,
  argv: readonly string[],
  origins: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  if (error instanceof CliError) {
    const option = "option" in error.details ? error.details.option : "";
    return `${explainCliError(error)}${origins.has(option) ? ` (from ${origins.get(option)})` : ""}`;
  }
  const { explainLibraryError } = await import("./library-errors.js");
  return explainLibraryError(error, argv);
}

/** Rethrows an error of a start as one that explains the remedy. */
export async function rethrowStartError(error: unknown, rpcPorts?: string): Promise<never> {
  const { startError } = await import("./start-errors.js");
  throw startError(error, rpcPorts);
}
