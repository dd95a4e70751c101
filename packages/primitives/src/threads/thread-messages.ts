import { CambiumError } from "../errors.js";

/** What a thread does: methods of one argument by name. Arguments and answers are copied, but for shared memory. */
export type ThreadMethods<Methods> = { [Name in keyof Methods]: (argument: never) => unknown };

export type ToThread =
  | { kind: "call"; id: number; name: string; argument: unknown }
  | { kind: "delivered"; id: number }
  | { kind: "close" };

/** Events arrive before the answers to what caused them. */
export type FromThread =
  | { kind: "ready" }
  /** It could not open what it works with, and ends. */
  | { kind: "refused"; error: PlainError }
  | { kind: "event"; event: unknown }
  /** Asks for `delivered`. */
  | { kind: "deliver"; id: number }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "failed"; id: number; error: PlainError };

/** An error as plain data, `details` those of a {@link CambiumError}. */
export interface PlainError {
  name: string;
  message: string;
  stack?: string;
  details?: { code: string };
}

/** A package's error class. */
// biome-ignore lint/suspicious/noExplicitAny: a class accepts its own details only, and they are those of an instance.
export type ErrorClass = new (details: any) => CambiumError<{ code: string }>;

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  return error instanceof CambiumError ? { name, message, stack, details: error.details } : { name, message, stack };
}

/** The error again: an instance of the class of that name, or a plain `Error` if `classes` has none. */
export function revivedError({ message, stack, name, details }: PlainError, classes: readonly ErrorClass[]): Error {
  const ErrorOfName = details && classes.find((one) => one.name === name);
  const error = ErrorOfName === undefined ? new Error(message) : new ErrorOfName(details);
  if (stack !== undefined) error.stack = stack;
  return error;
}
