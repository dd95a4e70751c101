import { CliError, explainCliError } from "./errors.js";

/** Any error of a command line as one line of text. */
export async function explain(error: unknown, argv: readonly string[]): Promise<string> {
  if (error instanceof CliError) return explainCliError(error);
  const { explainLibraryError } = await import("./library-errors.js");
  return explainLibraryError(error, argv);
}
