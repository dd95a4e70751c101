import type { ChainReader } from "@cambium/chain";
import { toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";

/** Seconds of the past that count. */
const WINDOW = 3600;
/** Milliseconds for which a report counts. */
const REPORT_AGE = 10_000;
/** Miners whose reports are kept at a time. */
const MOST_REPORTS = 1000;

/**
 * Hashes a second that blocks of the last hour stand for (`spec/03 §8.6`): walks back from the best block to the first
 * one outside of the window, which a best block ahead of the clock is too. `now` in seconds.
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

/** What external miners say of themselves: `eth_submitHashrate`. */
export class ReportedHashrates {
  private readonly reports = new Map<string, { rate: bigint; time: number }>();

  /** `now` in milliseconds. */
  add(rate: bigint, id: Uint8Array, now: number): void {
    this.dropOld(now);
    const key = toHex(id);
    if (this.reports.size >= MOST_REPORTS && !this.reports.has(key)) return;
    this.reports.set(key, { rate, time: now });
  }

  /** Sum of what counts still, or undefined where nothing does. */
  total(now: number): bigint | undefined {
    this.dropOld(now);
    if (this.reports.size === 0) return undefined;
    return [...this.reports.values()].reduce((sum, { rate }) => sum + rate, 0n);
  }

  private dropOld(now: number): void {
    for (const [key, { time }] of this.reports) if (now - time > REPORT_AGE) this.reports.delete(key);
  }
}
