import type { BridgeSession } from "../session.js";

/** Version of created transactions: 2 from RSKIP-201 on, because emergency keys may spend their outputs. */
export function releaseVersion({ rules }: BridgeSession): number {
  return rules.rskip201 ? 2 : 1;
}
