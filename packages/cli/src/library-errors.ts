import { ChainError } from "@cambium/chain";
import { DatabaseError } from "@cambium/database";
import { toData } from "@cambium/primitives";

/** Any error besides the command line's own as one line of text. */
export function explainLibraryError(error: unknown): string {
  if (error instanceof ChainError) return explainChain(error);
  if (error instanceof DatabaseError) return explainDatabase(error);
  if (error instanceof Error) return error.message.split("\n")[0]!;
  return String(error);
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
