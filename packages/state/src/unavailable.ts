import { CambiumError } from "@cambium/primitives";

/**
 * A native contract was asked for a method that this node cannot answer exactly. This is no failure of the call, which
 * would be part of the chain's history: it must travel through the interpreter unchanged and stop the block import
 * (or the local call) that met it.
 */
export class NativeMethodUnavailable extends CambiumError<{
  code: "BRIDGE_METHOD_UNAVAILABLE";
  /** Signature of the method, such as `updateCollections()`. */
  method: string;
  /** Why, where the method is there for other states. */
  reason?: string;
}> {}
