import { BRIDGE_ADDRESS } from "@cambium/config";
import type { BridgeSession } from "./session.js";

export const WEI_PER_SATOSHI = 10n ** 10n;

/** Moves wei out of the bridge, whatever becomes of the call; the trace of the transaction shows it. */
export function pay({ context }: BridgeSession, to: Uint8Array, wei: bigint): void {
  context.state.transfer(BRIDGE_ADDRESS, to, wei);
  context.payment(BRIDGE_ADDRESS, to, wei);
}

/** Gives the caller back what it sent; traces do not show this one. */
export function giveBack({ context }: BridgeSession, wei: bigint): void {
  context.state.transfer(BRIDGE_ADDRESS, context.caller, wei);
}
