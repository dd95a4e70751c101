import type { Utxo } from "../model/utxo.js";

/** UTXOs in the order in which they are spent. Caches sums over the first ones, so that a fee need not visit all. */
export class CoinSequence {
  /** Value of the first coins, by their number. */
  private readonly sums: bigint[] = [0n];
  /** Highest of these sums so far. */
  private readonly peaks: bigint[] = [0n];

  constructor(readonly coins: readonly Utxo[]) {
    coins.forEach((coin, position) => {
      const sum = this.sums[position]! + coin.value;
      const peak = this.peaks[position]!;
      this.sums.push(sum);
      this.peaks.push(sum > peak ? sum : peak);
    });
  }

  /** Satoshi of the first `count` coins. */
  valueOf(count: number): bigint {
    return this.sums[count]!;
  }

  /** Least number of first coins whose value reaches this many satoshi, undefined if there is none. */
  reaching(satoshi: bigint): number | undefined {
    const count = firstIndex(this.peaks.length, (i) => this.peaks[i]! >= satoshi);
    return count < this.peaks.length ? count : undefined;
  }
}

/**
 * Returns the first of `length` indexes for which a condition holds; `length` if there is none. A condition that holds
 * for an index must hold for all later ones.
 */
function firstIndex(length: number, holds: (index: number) => boolean): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
