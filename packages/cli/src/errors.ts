import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { CambiumError, toData } from "@cambium/primitives";

/** Something the person at the command line can put right; shown as one line, without a stack trace. */
export class CliError extends CambiumError<
  | { code: "FILE_NOT_FOUND"; path: string }
  | { code: "FILE_UNREADABLE"; path: string; reason: string }
  | { code: "UNKNOWN_NETWORK"; name: string; known: string }
  | { code: "INVALID_OPTION"; option: string; expected: string }
  | { code: "NO_DATABASE"; path: string }
  | { code: "NO_VECTORS"; path: string }
  | { code: "RPC"; url: string; reason: string }
> {}

/** The one line that a failure is shown as. */
export function explain(error: unknown): string {
  if (error instanceof CliError) return explainOwn(error);
  if (error instanceof ChainError) return explainChain(error);
  if (error instanceof DatabaseError) return explainDatabase(error);
  if (error instanceof Error) return error.message.split("\n")[0]!;
  return String(error);
}

function explainOwn(error: CliError): string {
  const { details } = error;
  switch (details.code) {
    case "FILE_NOT_FOUND":
      return `no such file: ${details.path}`;
    case "FILE_UNREADABLE":
      return `cannot read ${details.path}: ${details.reason}`;
    case "UNKNOWN_NETWORK":
      return `unknown network '${details.name}': expected ${details.known}, or the path of a network definition (JSON)`;
    case "INVALID_OPTION":
      return `option ${details.option}: expected ${details.expected}`;
    case "NO_DATABASE":
      return `no database in ${details.path}`;
    case "RPC":
      return `${details.url}: ${details.reason}`;
    case "NO_VECTORS":
      return `no vector files of a known format in ${details.path}`;
  }
}

function explainChain(error: ChainError): string {
  const { details } = error;
  switch (details.code) {
    case "DATABASE_NETWORK":
      return `the database is of another network: its genesis is ${toData(details.actual)}, not ${toData(details.expected)}`;
    case "DATABASE_SCHEMA":
      return `the database has schema ${details.actual}; this version reads schema ${details.supported}`;
    default:
      return error.message;
  }
}

function explainDatabase(error: DatabaseError): string {
  const { details } = error;
  return details.code === "DATABASE_OPEN"
    ? `cannot open the database in ${details.location}: ${details.reason}`
    : error.message;
}
