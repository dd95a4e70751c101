import { CambiumError } from "@cambium/primitives";

/**
 * Base class of the errors by which a native contract fails a call. Only two other errors count as a failed call: those
 * of `primitives` about malformed bytes, and a cell longer than a word. Anything else is a fault of this node.
 */
export class ContractFailure<Details extends { code: string }> extends CambiumError<Details> {
  constructor(details: Details, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    // A failed call is an ordinary result, and a stack trace costs more than the cheapest call.
    Error.stackTraceLimit = 0;
    super(details, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * Failure of a native contract whose error has no message in the deployed client. In the outermost frame it leaves no
 * receipt, so no block can contain the transaction (`spec/04 §12`, 30). In an inner frame it is an ordinary failure.
 */
export class TextlessFailure extends ContractFailure<{ code: "TEXTLESS_FAILURE"; contract: string; reason: string }> {}
