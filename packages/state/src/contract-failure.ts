import { CambiumError } from "@cambium/primitives";

/**
 * Base of what a native contract throws to fail. The only other errors that count as a failure of the call are those of
 * `primitives` about malformed bytes and a cell that is no word; anything else is a fault of this node.
 */
export class ContractFailure<Details extends { code: string }> extends CambiumError<Details> {}

/**
 * Failure of a native contract whose error has no text in the deployed client. In the outermost frame it leaves no
 * receipt, so no block can hold the transaction (`spec/04 §12`, 30); elsewhere it is a failure as any other.
 */
export class TextlessFailure extends ContractFailure<{ code: "TEXTLESS_FAILURE"; contract: string; reason: string }> {}
