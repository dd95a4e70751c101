/** What the server writes to the log. */
export interface RpcLogger {
  error(data: object, message: string): void;
  info(data: object, message: string): void;
}
