import { CambiumError } from "@cambium/primitives";

/** What can go wrong with the pool itself; a refused transaction is an answer, not an error. */
export class TxPoolError extends CambiumError<
  | { code: "STATE_MISSING"; blockHash: Uint8Array }
  /** A view of the state that cannot be executed on. */
  | { code: "STATE_NOT_EXECUTABLE" }
  | { code: "JOURNAL_FILE"; path: string; reason: string }
> {}
