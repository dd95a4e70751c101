import type { RequestRates } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";

/** Requests that a peer limits, each in its own unit. */
export type PacedRequest = keyof RequestRates;

/**
 * Keeps our requests to one peer within its rates, by the same algorithm (GCRA). All tokens of a window may be used
 * immediately, and refill evenly. Exceeding the rates would lower our score at the peer.
 */
export class RequestPace {
  /** Times at which the buckets are full again. */
  private readonly fullAt = new Map<PacedRequest, number>();

  /** `rates` returns undefined while the peer is not connected. */
  constructor(
    private readonly clock: Clock,
    private readonly rates: () => RequestRates | undefined,
  ) {}

  /** Returns the number of tokens that can be spent now; 0 if the peer is not connected. */
  available(kind: PacedRequest): number {
    const rate = this.rates()?.[kind];
    if (rate === undefined) return 0;
    const { tokens, window } = rate;
    const missing = Math.max(0, (this.fullAt.get(kind) ?? 0) - this.clock.now());
    return Math.floor(tokens * (1 - missing / window));
  }

  spend(kind: PacedRequest, count: number): void {
    const rate = this.rates()?.[kind];
    if (rate === undefined) return;
    const { tokens, window } = rate;
    const now = this.clock.now();
    this.fullAt.set(kind, Math.max(now, this.fullAt.get(kind) ?? 0) + (count * window) / tokens);
  }

  /** Whether all buckets are full. */
  get isRested(): boolean {
    return [...this.fullAt.values()].every((at) => at <= this.clock.now());
  }
}
