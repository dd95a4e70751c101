import { CambiumError } from "@cambium/primitives";

/**
 * Failure of a native contract whose error has no text in the deployed client. In the outermost frame it leaves no
 * receipt, so no block can hold the transaction (`spec/04 §12`, 30); elsewhere it is a failure as any other.
 */
export class TextlessFailure extends CambiumError<{ code: "TEXTLESS_FAILURE"; contract: string; reason: string }> {}
