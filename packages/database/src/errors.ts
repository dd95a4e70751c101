import { CambiumError } from "@cambium/primitives";

/** Failures of a database. */
export type DatabaseFault =
  /** The directory has no database, and none may be created. */
  | { code: "DATABASE_MISSING"; location: string }
  /** The directory cannot be opened as a database, or another process has it open. */
  | { code: "DATABASE_OPEN"; location: string; reason: string }
  /** Files of the database are damaged or missing; `file` is the first of them. Nothing was changed. */
  | { code: "DATABASE_FILES"; location: string; file: string; reason: string }
  /** An entry could not be read: a file is damaged, or the disk fails. */
  | { code: "DATABASE_READ"; reason: string }
  /** A batch could not be written; all later writes fail until the database is reopened. */
  | { code: "DATABASE_WRITE"; reason: string }
  /**
   * A batch of another database does not follow the latest one of this database, which would be number `expected - 1`.
   */
  | { code: "BATCH_ORDER"; sequence: number; expected: number }
  /** A batch of another database does not have its stated hash. */
  | { code: "BATCH_CONTENT"; sequence: number };

export class DatabaseError extends CambiumError<DatabaseFault> {}
