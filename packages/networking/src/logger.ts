/** Where the network says what happens to it; a pino logger is one. */
export interface NetworkLogger {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
