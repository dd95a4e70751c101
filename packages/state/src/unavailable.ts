import { CambiumError } from "@cambium/primitives";

/**
 * A native contract was called with a method that this node cannot execute exactly. This is not a failure of the call,
 * which would become part of the chain's history: the error passes through the interpreter unchanged and stops the
 * block import or the local call.
 */
export class NativeMethodUnavailable extends CambiumError<{
  code: "BRIDGE_METHOD_UNAVAILABLE";
  /** Signature of the method, such as `updateCollections()`. */
  method: string;
  /** Why, for a method that is available in other states. */
  reason?: string;
}> {}
