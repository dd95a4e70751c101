import { BRIDGE_ADDRESS } from "@cambium/config";
import type { BridgeSession } from "./session.js";

export const WEI_PER_SATOSHI = 10n ** 10n;

/** Moves wei out of the bridge, even if the call fails later; the transaction's trace includes the payment. */
export function pay({ context }: BridgeSession, to: Uint8Array, wei: bigint): void {
  context.state.transfer(BRIDGE_ADDRESS, to, wei);
  context.payment(BRIDGE_ADDRESS, to, wei);
}

/** Refunds the caller's value; traces do not include this payment. */
export function refundValue({ context }: BridgeSession, wei: bigint): void {
  context.state.transfer(BRIDGE_ADDRESS, context.caller, wei);
}
