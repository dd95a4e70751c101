import { AssertionError } from "node:assert";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CambiumError, equalBytes, toHex, utf8 } from "@cambium/primitives";

/**
 * A decoder, or any other reader of foreign bytes, for the fuzzer (`npm run fuzz`). The files `test/fuzz/*.ts` of the
 * packages export theirs as `targets`, by name.
 */
export interface FuzzTarget {
  /** Valid inputs, made by encoders of this project. */
  seeds(): readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Maximum length of an input in bytes; 4096 by default. */
  maxLength?: number;
  /** Share of the fuzzer's time, in proportion to other targets; 1 by default. */
  share?: number;
  /** Strings that inputs contain: names, magic numbers. */
  words?: readonly (string | Uint8Array)[];
  /**
   * Runs the target. Throws or rejects if the input violates a property, for instance with anything else than a typed
   * error.
   */
  run(input: Uint8Array): void | Promise<void>;
}

/** A class of typed errors. */
// biome-ignore lint/suspicious/noExplicitAny: any error class of any package.
export type ErrorClass = abstract new (...parameters: any[]) => CambiumError<any> | Error;

/** A plain `Error`, which readers of files throw: their callers log it. */
export abstract class PlainError extends Error {
  static override [Symbol.hasInstance](error: unknown): boolean {
    return error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
  }
}

/** Returns a class for the errors of a class with this code. */
export function errorsWithCode(errors: ErrorClass, code: string): ErrorClass {
  return class extends Error {
    static override [Symbol.hasInstance](error: unknown): boolean {
      return error instanceof errors && (error as { code?: unknown }).code === code;
    }
  };
}

/** A decoder, the errors with which it refuses, and the properties of a decoded value. */
export interface Decoding<Value> extends Omit<FuzzTarget, "run"> {
  decode(input: Uint8Array): Value;
  refusals: readonly ErrorClass[];
  /** Throws if a property does not hold. Also reads all lazily computed values. */
  check?(value: Value, input: Uint8Array): void;
}

/** Returns a target whose inputs decode, or are refused with one of the typed errors. */
export function decoding<Value>({ decode, refusals, check, ...target }: Decoding<Value>): FuzzTarget {
  return {
    ...target,
    run(input) {
      const decoded = attempt(() => decode(input), refusals);
      if (decoded !== undefined) check?.(decoded.value, input);
    },
  };
}

/** Returns the value, undefined for a typed error. Rethrows other errors. */
export function attempt<Value>(read: () => Value, refusals: readonly ErrorClass[]): { value: Value } | undefined {
  try {
    return { value: read() };
  } catch (error) {
    if (refusals.some((refusal) => error instanceof refusal)) return undefined;
    throw error;
  }
}

/** Throws unless both are equal. */
export function assertSameBytes(actual: Uint8Array, expected: Uint8Array): void {
  if (equalBytes(actual, expected)) return;
  throw new AssertionError({
    message: "bytes differ",
    actual: toHex(actual),
    expected: toHex(expected),
    operator: "==",
  });
}

const decoder = new TextDecoder();

/** An input as text; bytes that are not UTF-8 become replacement characters. */
export function textOf(input: Uint8Array): string {
  return decoder.decode(input);
}

/** Inputs of a target that reads text. */
export function texts(...lines: readonly string[]): Uint8Array[] {
  return lines.map(utf8);
}

/** Inputs of a target that reads JSON. */
export function jsonTexts(...values: readonly unknown[]): Uint8Array[] {
  return values.map((value) => utf8(JSON.stringify(value)));
}

let folder: string | undefined;

/** Path of a file that holds the input, for readers of files; it is removed when the process ends. */
export function fileOf(input: Uint8Array, name: string): string {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), "cambium-fuzz-"));
    process.once("exit", () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const path = join(folder, name);
  writeFileSync(path, input);
  return path;
}
