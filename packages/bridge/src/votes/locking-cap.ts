import { BRIDGE_ADDRESS } from "@cambium/config";
import { bigintToBytes, bytesToBigint, decodeRlpItem, encodeRlp } from "@cambium/primitives";
import { WEI_PER_SATOSHI } from "../payment.js";
import type { BridgeSession } from "../session.js";
import { CELLS } from "../storage/cells.js";

/** Maximum satoshi that may be pegged in. Reading an absent cap stores the initial one (`spec/06b-2 §5`). */
export function lockingCap({ storage, network }: BridgeSession): bigint {
  const cell = storage.load(CELLS.lockingCap, encodeRlp(bigintToBytes(network.bridge.initialLockingCap)));
  return bytesToBigint(decodeRlpItem(cell).bytes);
}

const MAXIMUM_SUPPLY = 21_000_000n * 10n ** 8n;

/** Whether adding these satoshi would exceed the locking cap (RSKIP-134). */
export function surpassesLockingCap(session: BridgeSession, satoshi: bigint): boolean {
  if (!session.rules.rskip134) return false;
  const cap = lockingCap(session);
  const balance = session.context.state.getBalance(BRIDGE_ADDRESS) / WEI_PER_SATOSHI;
  return MAXIMUM_SUPPLY - balance + satoshi > cap;
}
