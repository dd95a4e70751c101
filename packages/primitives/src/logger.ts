/** What packages need of a logger; a pino logger is one. `details` are fields of the log entry. */
export interface Logger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
  /** Whether lines of a level are logged; without it, they may be. */
  isLevelEnabled?(level: string): boolean;
}
