import { bigintToBytes, bytesToBigint, decodeRlpItem, encodeRlp } from "@cambium/primitives";
import { CELLS } from "./cells.js";
import type { BridgeSession } from "./session.js";

/** Satoshi that may be pegged in. Asking for an absent cap stores the initial one (`spec/06b-2 §5`). */
export function lockingCap({ storage, network }: BridgeSession): bigint {
  const cell = storage.load(CELLS.lockingCap, encodeRlp(bigintToBytes(network.bridge.initialLockingCap)));
  return bytesToBigint(decodeRlpItem(cell).bytes);
}
