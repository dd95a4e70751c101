import { CambiumError } from "@cambium/primitives";

/** Malformed state content, or a state operation that is not supported. */
export class StateError extends CambiumError<
  | { code: "CELL_TOO_LONG"; address: Uint8Array; slot: bigint; length: number }
  | { code: "MALFORMED_ACCOUNT"; reason: string }
  | { code: "MALFORMED_CHANGES" }
  | { code: "UNSUPPORTED"; what: string }
> {}
