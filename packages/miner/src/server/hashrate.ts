import type { ChainReader } from "@cambium/chain";
import { toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";

/** Length of the averaging window in seconds. */
const WINDOW = 3600;
/** Milliseconds after which a report expires. */
const REPORT_AGE = 10_000;
/** Maximum number of miners with a report. */
const MOST_REPORTS = 1000;

/**
 * Hash rate in hashes per second, estimated from the blocks of the last hour (`spec/03 §8.6`): walks back from the best
 * block to the first one outside the window. A block ahead of the clock is outside, too. `now` in seconds.
 */
export function chainHashrate(chain: ChainReader, now: number, counts: (header: BlockHeader) => boolean): bigint {
  const best = chain.best();
  const branch = chain.ancestors(best.hash);
  let sum = 0n;
  for (let number = best.header.number; number >= 0; number--) {
    const header = branch.header(number);
    if (header === undefined || header.timestamp > now || header.timestamp < now - WINDOW) break;
    if (!counts(header)) continue;
    sum += header.difficultyValue;
    for (const uncle of branch.uncles(number) ?? []) sum += uncle.difficultyValue;
  }
  return sum / BigInt(WINDOW);
}

/** Hash rates reported by external miners: `eth_submitHashrate`. */
export class ReportedHashrates {
  private readonly reports = new Map<string, { rate: bigint; time: number }>();

  /** `now` in milliseconds. */
  add(rate: bigint, id: Uint8Array, now: number): void {
    this.dropOld(now);
    const key = toHex(id);
    if (this.reports.size >= MOST_REPORTS && !this.reports.has(key)) return;
    this.reports.set(key, { rate, time: now });
  }

  /** Sum of the current reports, or undefined if there are none. */
  total(now: number): bigint | undefined {
    this.dropOld(now);
    if (this.reports.size === 0) return undefined;
    return [...this.reports.values()].reduce((sum, { rate }) => sum + rate, 0n);
  }

  private dropOld(now: number): void {
    for (const [key, { time }] of this.reports) if (now - time > REPORT_AGE) this.reports.delete(key);
  }
}
