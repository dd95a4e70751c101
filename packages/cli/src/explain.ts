import { CliError, explainCliError } from "./errors.js";

/** Any error as one line of text. */
export async function explain(error: unknown): Promise<string> {
  if (error instanceof CliError) return explainCliError(error);
  const { explainLibraryError } = await import("./library-errors.js");
  return explainLibraryError(error);
}
