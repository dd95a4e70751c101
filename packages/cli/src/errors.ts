import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { CambiumError, toData } from "@cambium/primitives";

/** An error that the user can correct; shown as one line, without a stack trace. */
export class CliError extends CambiumError<
  | { code: "FILE_NOT_FOUND"; path: string }
  | { code: "FILE_UNREADABLE"; path: string; reason: string }
  | { code: "UNKNOWN_NETWORK"; name: string; known: string }
  | { code: "INVALID_OPTION"; option: string; value: string; expected: string }
  /** `requires` names the option that is missing. */
  | { code: "OPTION_REQUIRES"; option: string; requires: string }
  /** The node could not be started. */
  | { code: "START"; reason: string }
  | { code: "NO_DATABASE"; path: string }
  | { code: "NO_VECTORS"; path: string }
  | { code: "RPC"; url: string; reason: string }
> {}

/** The error as one line of text. */
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
      return `file not found: ${details.path}`;
    case "FILE_UNREADABLE":
      return `cannot read ${details.path}: ${details.reason}`;
    case "UNKNOWN_NETWORK":
      return `unknown network '${details.name}': expected ${details.known}, or the path of a network definition (JSON)`;
    case "INVALID_OPTION":
      return `invalid value '${details.value}' for ${details.option}: expected ${details.expected}`;
    case "OPTION_REQUIRES":
      return `${details.option} requires ${details.requires}`;
    case "NO_DATABASE":
      return `no database in ${details.path}: check --data-dir, or create one with node-cli start or import`;
    case "RPC":
      return `JSON-RPC request to ${details.url} failed: ${details.reason}`;
    case "NO_VECTORS":
      return `no conformance vectors of a known format in ${details.path}`;
    case "START":
      return details.reason;
  }
}

function explainChain(error: ChainError): string {
  const { details } = error;
  switch (details.code) {
    case "DATABASE_NETWORK":
      return (
        `the database belongs to another network: its genesis is ${toData(details.actual)}, expected ` +
        `${toData(details.expected)}; check --network and --data-dir`
      );
    case "DATABASE_SCHEMA":
      return (
        `the database has schema version ${details.actual}, this release supports version ${details.supported}: ` +
        "upgrade node-cli, or use another --data-dir"
      );
    case "DATABASE_DAMAGED":
      return (
        `the database is damaged: missing or unreadable ${details.what} (key ${toData(details.key)}); ` +
        'list all damage with "node-cli db check", then restore a backup, or delete the folder chain in the data ' +
        "directory and synchronise again"
      );
    case "BLOCK_FILE":
      return `cannot read or write ${details.file}: ${details.reason}`;
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
