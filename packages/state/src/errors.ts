import { CambiumError } from "@cambium/primitives";

/** State content that cannot be read as asked. */
export class StateError extends CambiumError<
  | { code: "CELL_TOO_LONG"; address: Uint8Array; slot: bigint; length: number }
  | { code: "MALFORMED_ACCOUNT"; reason: string }
  | { code: "UNSUPPORTED"; what: string }
> {}
