import type { BridgeSession } from "../session.js";

/** Minimum output value of a peg-in, in satoshi. */
export function minimumPegIn({ network, rules }: Pick<BridgeSession, "network" | "rules">): bigint {
  const { initial, rskip219 } = network.bridge.minimumPegIn;
  return rules.rskip219 ? rskip219 : initial;
}
