import type { BridgeSession } from "../session.js";

/** Version of created transactions: 2 since emergency keys may spend (RSKIP-201). */
export function releaseVersion({ rules }: BridgeSession): number {
  return rules.rskip201 ? 2 : 1;
}
