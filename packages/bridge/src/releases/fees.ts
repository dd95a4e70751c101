import { bytesToBigint } from "@cambium/primitives";
import { activeSpender, type Spender } from "../federation/spending.js";
import { estimatedSize, estimatedSizeBeforeRskip271, estimatedVirtualSize } from "../release-builder/size.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

// Fees of parent-chain transactions: spec/06b-3 §6.5.

/** Satoshi per 1000 bytes: the voted value, or the network's initial one. */
export function feePerKb({ storage, network }: BridgeSession): bigint {
  const item = storage.readItem(CELLS.feePerKb);
  return item === undefined ? network.bridge.genesisFeePerKb : bytesToBigint(item);
}

/** Assumed size of a transaction of this federation (`spec/06b-3 §6.5`, "S"). */
export function estimatedSizeOf({ rules }: BridgeSession, spender: Spender, inputs: number, outputs: number): number {
  const { segwit, signers } = spender;
  if (rules.rskip378) return estimatedVirtualSize(signers, inputs, outputs);
  if (rules.rskip271) return estimatedSize(segwit, signers, inputs, outputs);
  return estimatedSizeBeforeRskip271(signers, inputs, outputs);
}

/** Assumed size of a peg-out of the active federation. */
export function estimatedPegOutSize(session: BridgeSession, inputs: number, outputs: number): number {
  return estimatedSizeOf(session, activeSpender(session), inputs, outputs);
}
