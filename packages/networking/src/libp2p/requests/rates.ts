import { DEVELOPMENT_FACTOR, mapValues, type RateBound, scaled } from "../../shared/rates.js";
import { GOSSIP_TOPICS, type GossipTopic } from "../wire/gossip.js";
import type { ProtocolName, Protocols } from "../wire/protocols.js";

/** Share of a peer's limits that we use: evenly spaced requests may arrive in bursts. */
const OWN_SHARE = 0.9;

export interface Rates {
  /** Limits on requests of peers. */
  served: Record<ProtocolName, RateBound>;
  /** Limits on our requests to a peer. */
  asked: Record<ProtocolName, RateBound>;
  gossip: Record<GossipTopic, RateBound>;
}

/** The rates of `spec/07 §D.5`. */
export function ratesOf(protocols: Protocols, isDevelopment: boolean): Rates {
  const factor = isDevelopment ? DEVELOPMENT_FACTOR : 1;
  const served = mapValues(protocols, ({ rate }) => scaled(rate, factor));
  return {
    served,
    asked: mapValues(served, ({ tokens, window }) => ({ tokens: Math.floor(tokens * OWN_SHARE), window })),
    gossip: mapValues(GOSSIP_TOPICS, ({ rate }) => scaled(rate, factor)),
  };
}
