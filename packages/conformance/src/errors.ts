import { CambiumError } from "@cambium/primitives";

/** Why vectors cannot be run. A result that differs is a failed `CaseResult`, not an error. */
export class ConformanceError extends CambiumError<
  | { code: "FILE_NOT_FOUND"; path: string }
  | { code: "FILE_UNREADABLE"; path: string; reason: string }
  | { code: "LINE_TOO_LONG"; path: string; line: number; maxBytes: number }
  | { code: "MALFORMED"; reason: string }
  | { code: "UNKNOWN_NETWORK"; name: string; known: string }
> {}

/** One line for the reason of a failed case. */
export function describeError(error: unknown): string {
  if (error instanceof ConformanceError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
