import { CambiumError } from "../errors.js";

/** Methods of a thread by name, each with one argument. Arguments and results are copied, except for shared memory. */
export type ThreadMethods<Methods> = { [Name in keyof Methods]: (argument: never) => unknown };

export type ToThread =
  | { kind: "call"; id: number; name: string; argument: unknown }
  | { kind: "delivered"; id: number }
  | { kind: "close" };

/** Events arrive before the answer to the call that caused them. */
export type FromThread =
  | { kind: "ready" }
  /** Opening its resources failed, so the thread ends. */
  | { kind: "refused"; error: PlainError }
  | { kind: "event"; event: unknown }
  /** Requests a `delivered` message. */
  | { kind: "deliver"; id: number }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "failed"; id: number; error: PlainError };

/** An error as plain data; `details` are those of a {@link CambiumError}. */
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

/** Restores an error: an instance of the class with its name, or a plain `Error` if `classes` does not contain it. */
export function revivedError({ message, stack, name, details }: PlainError, classes: readonly ErrorClass[]): Error {
  const ErrorOfName = details && classes.find((one) => one.name === name);
  const error = ErrorOfName === undefined ? new Error(message) : new ErrorOfName(details);
  if (stack !== undefined) error.stack = stack;
  return error;
}
