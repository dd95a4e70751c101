/** Estimates a gas price from those of past transactions. */
export interface PriceCalculator {
  /** Adds prices in transaction order, without reward transactions; `gasUsed` if the receipt is known. */
  add(gasPrice: bigint, gasUsed: number | undefined): void;
  /** Returns the price; undefined while there is too little data. */
  price(): bigint | undefined;
}

/** Number of transactions in the window. */
export const PRICE_WINDOW = 512;

/**
 * The price that a quarter of the last 512 transactions did not exceed (`spec/08 §9`). The result is available once the
 * window is full, and is recomputed only after the window has wrapped.
 */
export class PlainPercentile implements PriceCalculator {
  private readonly window = new Array<bigint>(PRICE_WINDOW).fill(0n);
  private next = PRICE_WINDOW - 1;
  private isFull = false;
  private cached: bigint | undefined;

  add(gasPrice: bigint): void {
    if (this.next < 0) {
      this.next = PRICE_WINDOW - 1;
      this.cached = undefined;
    }
    if (this.next === 0) this.isFull = true;
    this.window[this.next--] = gasPrice;
  }

  price(): bigint | undefined {
    if (!this.isFull) return undefined;
    this.cached ??= [...this.window].sort(ascending)[PRICE_WINDOW / 4];
    return this.cached;
  }
}

/**
 * The price below which a quarter of the gas of the last 512 transactions was bought (`spec/08 §9`). The result is
 * recomputed after more than 512 additions.
 */
export class WeightedPercentile implements PriceCalculator {
  private readonly window: PricedGas[] = [];
  private added = 0;
  private cached: bigint | undefined;

  constructor(private readonly percentile = 25) {}

  add(gasPrice: bigint, gasUsed: number | undefined): void {
    if (gasUsed === undefined || gasUsed <= 0) return;
    if (this.window.length === PRICE_WINDOW) this.window.shift();
    this.window.push({ gasPrice, gasUsed });
    if (++this.added > PRICE_WINDOW) {
      this.added = 0;
      this.cached = undefined;
    }
  }

  price(): bigint | undefined {
    this.cached ??= weightedPercentile(this.window, this.percentile);
    return this.cached;
  }
}

export interface PricedGas {
  gasPrice: bigint;
  gasUsed: number;
}

/** Returns the lowest price at or below which `percentile` per cent (in single precision) of the gas was bought. */
export function weightedPercentile(entries: readonly PricedGas[], percentile: number): bigint | undefined {
  const sorted = [...entries].sort((a, b) => ascending(a.gasPrice, b.gasPrice));
  const total = sorted.reduce((sum, { gasUsed }) => sum + gasUsed, 0);
  const target = Math.fround(Math.fround(percentile) / 100) * total;
  let bought = 0;
  for (const { gasPrice, gasUsed } of sorted) {
    bought += gasUsed;
    if (bought >= target) return gasPrice;
  }
  return sorted.at(-1)?.gasPrice;
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
