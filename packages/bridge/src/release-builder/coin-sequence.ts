import { toHex } from "@cambium/primitives";
import type { Utxo } from "../storage/utxo.js";

/** The UTXOs that pay to one script. */
interface ScriptCoins {
  readonly coin: Utxo;
  /** Ascending. */
  readonly positions: number[];
}

/** UTXOs in the order in which they are spent. Keeps sums over the first ones, so that a fee takes no pass over all. */
export class CoinSequence {
  /** Value of the first coins, by their number. */
  private readonly sums: bigint[] = [0n];
  /** Highest of these sums so far. */
  private readonly peaks: bigint[] = [0n];
  /** In the order of their first coins. */
  private readonly scripts = new Map<string, ScriptCoins>();

  constructor(readonly coins: readonly Utxo[]) {
    coins.forEach((coin, position) => {
      const sum = this.sums[position]! + coin.value;
      const peak = this.peaks[position]!;
      this.sums.push(sum);
      this.peaks.push(sum > peak ? sum : peak);
      const script = toHex(coin.script);
      const known = this.scripts.get(script);
      if (known === undefined) this.scripts.set(script, { coin, positions: [position] });
      else known.positions.push(position);
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

  /** The scripts of the first `count` coins, in order: one coin of each, and their number. */
  *scriptsOf(count: number): Iterable<{ coin: Utxo; uses: number }> {
    for (const { coin, positions } of this.scripts.values()) {
      if (positions[0]! >= count) return;
      yield { coin, uses: firstIndex(positions.length, (i) => positions[i]! >= count) };
    }
  }
}

/** First of `length` indexes for which a condition holds that holds for all later ones, too; `length` if for none. */
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
