import { FairBudget, type FairRates } from "./fair-budget.js";

/**
 * Rate of requests from nodes that we know or have pinged; each costs up to 140 µs. Packets with false sources can use
 * up the share of an address only by exceeding its own rate.
 */
const KNOWN: FairRates = {
  perSource: { burst: 100, perSecond: 50 },
  perSubnet: { burst: 1000, perSecond: 500 },
  total: { burst: 1000, perSecond: 1000 },
};
/**
 * Rate of answers to other nodes, and of pings to them: their sources may be false. A signature costs 70 µs, and so
 * does its check.
 */
const UNKNOWN: FairRates = {
  perSource: { burst: 50, perSecond: 0.2 },
  perSubnet: { burst: 100, perSecond: 1 },
  total: { burst: 400, perSecond: 500 },
};
const CHALLENGES: FairRates = { ...UNKNOWN, total: { burst: 128, perSecond: 500 } };
/**
 * Rate of answers with nodes. A deployed node sends a FindNode each minute. The answer is larger than the request, and
 * requests can be replayed.
 */
const ANSWERS: FairRates = {
  perSource: { burst: 4, perSecond: 0.1 },
  perSubnet: { burst: 40, perSecond: 1 },
  total: { burst: 400, perSecond: 50 },
};

/**
 * Budgets for requests of known nodes, for pings of unknown nodes, for our pings to these, and for answers with nodes.
 */
export type DiscoveryBudgets = Record<"known" | "unknown" | "challenges" | "answers", FairBudget>;

/** `now` returns milliseconds. */
export function newBudgets(now: () => number): DiscoveryBudgets {
  const budget = (rates: FairRates) => new FairBudget(rates, now);
  return {
    known: budget(KNOWN),
    unknown: budget(UNKNOWN),
    challenges: budget(CHALLENGES),
    answers: budget(ANSWERS),
  };
}
