/** Estimates a price from those of past transactions. */
export interface PriceCalculator {
  /** Prices in transaction order, of transactions other than reward ones; `gasUsed` where receipts are known. */
  add(gasPrice: bigint, gasUsed: number | undefined): void;
  /** undefined while too little is known. */
  price(): bigint | undefined;
}

/** Transactions looked back on. */
export const PRICE_WINDOW = 512;

/**
 * The price that a quarter of the last 512 transactions paid at most (`spec/08 §9`). The window is filled from its end
 * and known once it is full; the answer is computed anew only after it has wrapped.
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
 * The price below which a quarter of the gas of the last 512 transactions was bought (`spec/08 §9`). The answer is
 * computed anew after more than 512 additions.
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

/** First price, ascending, up to which `percentile` percent (in single precision) of the gas was bought. */
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
