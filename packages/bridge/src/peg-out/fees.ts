import { bytesToBigint } from "@cambium/primitives";
import { activeSpender, type Spender } from "../federation/spending.js";
import { estimatedSize, estimatedSizeBeforeRskip271 } from "../release-builder/size.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

// Fees of parent-chain transactions: spec/06b-3 §6.5.

/** Satoshi per 1000 bytes: the voted value, or the network's initial one. */
export function feePerKb({ storage, network }: BridgeSession): bigint {
  const item = storage.readItem(CELLS.feePerKb);
  return item === undefined ? network.bridge.genesisFeePerKb : bytesToBigint(item);
}

/** Assumed size of a transaction of this federation (`spec/06b-3 §6.5`, "S"). */
export function estimatedSizeOf({ segwit, threshold, redeem }: Spender, inputs: number, outputs: number): number {
  return estimatedSize(segwit, threshold, redeem.length, inputs, outputs);
}

/** Assumed size of a peg-out of the active federation. */
export function estimatedPegOutSize(session: BridgeSession, inputs: number, outputs: number): number {
  const spender = activeSpender(session);
  if (session.rules.rskip271) return estimatedSizeOf(spender, inputs, outputs);
  return estimatedSizeBeforeRskip271(spender.threshold, spender.redeem.length, inputs, outputs);
}
