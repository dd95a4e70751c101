import { randomInt } from "node:crypto";

/** Maximum number of uses in a burst, and in the long run. */
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

/** The cause of a use. */
export interface Origin {
  source: string;
  subnet: string;
}

/** Shares of the budget that remain for sources and subnets that have used less. */
const KEPT = { bySource: 1 / 2, bySubnet: 1 / 4 };
/**
 * Number of counters in a row. Every row counts all keys, with a hash of its own. A flood from all addresses therefore
 * needs no more memory. A key is counted wrongly only if it shares its counter in every row with another key; with 1500
 * other keys, that happens to two keys in 100,000.
 */
const SLOTS = 8192;
const ROWS = 6;

/**
 * Divides a budget between sources. The more a source and its subnet have used, the more of the budget must be left for
 * them to get any. A flood leaves the rest to others, unless it comes from as many subnets as they do.
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
    this.sources = new Uses(SLOTS, rates.perSource);
    this.subnets = new Uses(SLOTS, rates.perSubnet);
    this.total = new Uses(1, rates.total);
  }

  /**
   * Counts a use unless it exceeds the limit of its source or its share of the rest. Returns whether it was counted.
   */
  take({ source, subnet }: Origin): boolean {
    const now = this.now();
    const [bySource, bySubnet, byAll] = [
      this.sources.at(source, now),
      this.subnets.at(subnet, now),
      this.total.at("", now),
    ];
    const { perSource, perSubnet, total } = this.rates;
    const kept = KEPT.bySource * partOf(bySource.used, perSource) + KEPT.bySubnet * partOf(bySubnet.used, perSubnet);
    // Attempts of a subnet count too, because few attempts of a flood from many subnets succeed.
    bySubnet.add();
    if (bySource.used + 1 > perSource.burst || byAll.used + 1 > total.burst * (1 - kept)) return false;
    bySource.add();
    byAll.add();
    return true;
  }
}

/**
 * Returns the used part, from 0 to 1. The root gives weight to the first uses: floods from many subnets use little of
 * each.
 */
function partOf(used: number, { burst }: Rate): number {
  return Math.sqrt(used / burst);
}

/** Uses of each key, which decrease steadily. A key may share counters with others, whose uses are then added. */
class Uses {
  private readonly rows: readonly Row[];

  constructor(
    slots: number,
    private readonly rate: Rate,
  ) {
    this.rows = Array.from({ length: ROWS }, () => new Row(slots));
  }

  /** Returns the present number, and a function that adds a use, up to the burst. */
  at(key: string, now: number): { used: number; add(): void } {
    const { burst, perSecond } = this.rate;
    const perUse = 1000 / perSecond;
    const slots = this.rows.map((row) => row.slotOf(key));
    const rests = this.rows.map(({ emptyAt }, i) => Math.max(0, emptyAt[slots[i]!]! - now));
    return {
      used: rests.reduce((least, rest) => Math.min(least, rest)) / perUse,
      add: () => {
        for (const [i, { emptyAt }] of this.rows.entries()) {
          emptyAt[slots[i]!] = now + Math.min(burst * perUse, rests[i]! + perUse);
        }
      },
    };
  }
}

/** Counters, stored as the times at which they are 0 again. */
class Row {
  readonly emptyAt: Float64Array;
  /** Secret, so that an attacker cannot choose a key with the same counter as another key. */
  private readonly factor = 2 * randomInt(2 ** 30) + 1;

  constructor(slots: number) {
    this.emptyAt = new Float64Array(slots);
  }

  slotOf(key: string): number {
    let hash = this.factor;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), this.factor);
    return ((hash ^ (hash >>> 15)) >>> 0) % this.emptyAt.length;
  }
}
