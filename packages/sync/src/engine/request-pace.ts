import type { Clock } from "@cambium/primitives";

/** Kinds of requests that a peer counts (`spec/07 §D.5`), each in its own unit: heights, requests, headers, bodies. */
export type PacedRequest = "hashes" | "skeleton" | "headers" | "bodies";

/** Limit on requests to a peer: `tokens` every `window` milliseconds. */
export interface Rate {
  tokens: number;
  window: number;
}

export type RequestRates = Readonly<Record<PacedRequest, Rate>>;

/**
 * Keeps our requests to one peer within its rates, by the same algorithm (GCRA): all tokens of a window may be used at
 * once, and refill evenly. Exceeding the rates would lower our score at the peer.
 */
export class RequestPace<Kind extends string = PacedRequest> {
  /** When the bucket is full again. */
  private readonly fullAt = new Map<Kind, number>();

  constructor(
    private readonly clock: Clock,
    private readonly rates: Readonly<Record<Kind, Rate>>,
  ) {}

  /** Tokens that can be spent now. */
  available(kind: Kind): number {
    const { tokens, window } = this.rates[kind];
    const missing = Math.max(0, (this.fullAt.get(kind) ?? 0) - this.clock.now());
    return Math.floor(tokens * (1 - missing / window));
  }

  spend(kind: Kind, count: number): void {
    const { tokens, window } = this.rates[kind];
    const now = this.clock.now();
    this.fullAt.set(kind, Math.max(now, this.fullAt.get(kind) ?? 0) + (count * window) / tokens);
  }

  /** Whether all buckets are full. */
  get isRested(): boolean {
    return [...this.fullAt.values()].every((at) => at <= this.clock.now());
  }
}
