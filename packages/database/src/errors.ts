import { CambiumError } from "@cambium/primitives";

/** Failures of a database. */
export type DatabaseFault =
  /** The directory cannot be opened as a database, or another process has it open. */
  | { code: "DATABASE_OPEN"; location: string; reason: string }
  /** A batch could not be written; all later writes fail until the database is reopened. */
  | { code: "DATABASE_WRITE"; reason: string };

export class DatabaseError extends CambiumError<DatabaseFault> {}
