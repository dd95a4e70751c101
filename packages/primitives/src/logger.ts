/** Functions of a logger that packages use; a pino logger has them. `details` are fields of the log entry. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** Whether lines of a level are logged; if absent, assume that they are. */
  isLevelEnabled?(level: string): boolean;
}
