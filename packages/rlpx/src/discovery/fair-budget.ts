import { randomInt } from "node:crypto";

/** Uses at once, and in the long run. */
export interface Rate {
  burst: number;
  perSecond: number;
}

export interface FairRates {
  /** Limit of each source. */
  perSource: Rate;
  /** Attempts above which a subnet comes last. */
  perSubnet: Rate;
  total: Rate;
}

/** Who causes a use. */
export interface Origin {
  source: string;
  subnet: string;
}

/** Parts of the budget that are kept from sources and from subnets that have used their share. */
const KEPT = { bySource: 1 / 2, bySubnet: 1 / 4 };
/** Counters, each of the sources or subnets that have its hash: a flood from all addresses needs no more memory. */
const SOURCES = 16_384;
const SUBNETS = 4096;

/**
 * Shares a budget out between sources. The more a source and its subnet have used, the more must be left for them to get
 * anything: a flood leaves the rest to others, unless it comes from as many subnets as they do.
 */
export class FairBudget {
  private readonly sources: Uses;
  private readonly subnets: Uses;
  private readonly total: Uses;

  /** `now` returns milliseconds. */
  constructor(
    private readonly rates: FairRates,
    private readonly now: () => number,
  ) {
    this.sources = new Uses(SOURCES, rates.perSource);
    this.subnets = new Uses(SUBNETS, rates.perSubnet);
    this.total = new Uses(1, rates.total);
  }

  /** Counts a use unless it exceeds the limit of its source or what is left for it; returns whether it does not. */
  take({ source, subnet }: Origin): boolean {
    const now = this.now();
    const [bySource, bySubnet, byAll] = [
      this.sources.at(source, now),
      this.subnets.at(subnet, now),
      this.total.at("", now),
    ];
    const { perSource, perSubnet, total } = this.rates;
    const kept = KEPT.bySource * partOf(bySource.used, perSource) + KEPT.bySubnet * partOf(bySubnet.used, perSubnet);
    // Attempts of a subnet count too: few of a flood from many subnets succeed.
    bySubnet.add();
    if (bySource.used + 1 > perSource.burst || byAll.used + 1 > total.burst * (1 - kept)) return false;
    bySource.add();
    byAll.add();
    return true;
  }
}

/** From 0 to 1. The root makes the first uses count: floods from many subnets use little of each. */
function partOf(used: number, { burst }: Rate): number {
  return Math.sqrt(used / burst);
}

/** Counters that decrease steadily, by the hash of a key. */
class Uses {
  private readonly used: Float64Array;
  private readonly since: Float64Array;
  /** Secret, so that a key with the counter of another one cannot be chosen. */
  private readonly factor = 2 * randomInt(2 ** 30) + 1;

  constructor(
    slots: number,
    private readonly rate: Rate,
  ) {
    this.used = new Float64Array(slots);
    this.since = new Float64Array(slots);
  }

  /** The present value, and a function that adds a use, up to the burst. */
  at(key: string, now: number): { used: number; add(): void } {
    const slot = this.slotOf(key);
    const { burst, perSecond } = this.rate;
    const used = Math.max(0, this.used[slot]! - ((now - this.since[slot]!) * perSecond) / 1000);
    return {
      used,
      add: () => {
        this.used[slot] = Math.min(burst, used + 1);
        this.since[slot] = now;
      },
    };
  }

  private slotOf(key: string): number {
    let hash = this.factor;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), this.factor);
    return ((hash ^ (hash >>> 15)) >>> 0) % this.used.length;
  }
}
