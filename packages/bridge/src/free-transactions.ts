import { bridgeOperators } from "@cambium/config";
import { toHex } from "@cambium/primitives";
import type { NativeCallContext } from "@cambium/state";

/**
 * Whether the call is free: a validly signed transaction sent directly to the bridge by a federator or authorizer,
 * while such transactions are free (`spec/06a §1.5`).
 */
export function isFreeBridgeCall(context: NativeCallContext): boolean {
  return (
    !context.rules.areBridgeTxsPaid &&
    context.kind === "transaction" &&
    context.transaction.hasAcceptableSignature &&
    bridgeOperators(context.network).has(toHex(context.transaction.sender))
  );
}
