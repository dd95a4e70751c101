import { CambiumError } from "@cambium/primitives";

/** Errors of the pool itself; a refused transaction is a result, not an error. */
export class TxPoolError extends CambiumError<
  | { code: "STATE_MISSING"; blockHash: Uint8Array }
  /** The state view does not support execution. */
  | { code: "STATE_NOT_EXECUTABLE" }
  | { code: "JOURNAL_FILE"; path: string; reason: string }
> {}
