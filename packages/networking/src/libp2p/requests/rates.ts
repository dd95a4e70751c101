import type { RateBound } from "../../peers/peer-rate-limiter.js";
import { GOSSIP_TOPICS, type GossipTopic } from "../wire/gossip.js";
import type { ProtocolName } from "../wire/protocol.js";
import type { Protocols } from "../wire/protocols.js";

/** On development networks tests mine blocks at any speed. */
export const DEVELOPMENT_FACTOR = 50;
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

export function scaled({ tokens, window, total }: RateBound, factor: number): RateBound {
  return { tokens: tokens * factor, window, ...(total === undefined ? {} : { total: total * factor }) };
}

export function mapValues<Name extends string, From, To>(
  record: Readonly<Record<Name, From>>,
  change: (value: From) => To,
): Record<Name, To> {
  const entries = Object.entries(record) as [Name, From][];
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value)])) as Record<Name, To>;
}
