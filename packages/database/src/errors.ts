import { CambiumError } from "@cambium/primitives";

/** What can go wrong with a database. */
export type DatabaseFault =
  /** The directory cannot be opened as a database, or another process holds it. */
  | { code: "DATABASE_OPEN"; location: string; reason: string }
  /** A batch could not be written; nothing more is written until the database is opened again. */
  | { code: "DATABASE_WRITE"; reason: string };

export class DatabaseError extends CambiumError<DatabaseFault> {}
