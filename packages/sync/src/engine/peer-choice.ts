import type { Peer, PeerId } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";

/** Milliseconds during which a failure puts a peer behind all others (`spec/07 §D.7`, 7). */
const FAILURE_KEPT = 600_000;
/** Delay before the same peer is tried again, doubled each time. */
const FIRST_BACK_OFF = 1_000;
const LONGEST_BACK_OFF = 60_000;
/** Number of consecutive failed attempts after which outbound peers come first. */
const DISTRUSTED_AFTER = 2;

interface Failures {
  count: number;
  lastAt: number;
  retryAt: number;
}

/**
 * Chooses the peer to synchronise from: by claims, with failures outweighing claims. Peers that serve our next block
 * come before those that have discarded it. After two failed attempts in succession, outbound peers come before inbound
 * ones: an attacker may have many inbound peers.
 */
export class PeerChoice {
  private failedAttempts = 0;
  private readonly failures = new Map<PeerId, Failures>();

  /** `next` returns the height of the block that is needed next. */
  constructor(
    private readonly clock: Clock,
    private readonly next: () => number,
  ) {}

  /**
   * Returns the best of the peers that claim more work than ours: the highest claim without a recent failure, or else
   * the oldest failure. Undefined if none may be tried now.
   */
  best(peers: readonly Peer[], totalDifficulty: bigint): Peer | undefined {
    const now = this.clock.now();
    return better(peers, totalDifficulty)
      .filter(({ id }) => (this.failuresOf(id)?.retryAt ?? now) <= now)
      .sort((a, b) => this.compare(a, b))[0];
  }

  /** Milliseconds until a peer may be tried again; undefined if no peer claims more work than ours. */
  retryIn(peers: readonly Peer[], totalDifficulty: bigint): number | undefined {
    const now = this.clock.now();
    let shortest: number | undefined;
    for (const { id } of better(peers, totalDifficulty)) {
      const wait = Math.max((this.failuresOf(id)?.retryAt ?? now) - now, 0);
      shortest = Math.min(wait, shortest ?? wait);
    }
    return shortest;
  }

  /** Returns peers without failures, the highest claim first. */
  unfailed(peers: readonly Peer[]): Peer[] {
    return peers.filter(({ id }) => !this.hasFailed(id)).sort((a, b) => this.compare(a, b));
  }

  /** Whether `challenger` would be chosen before `current`. */
  isBetter(challenger: Peer, current: Peer): boolean {
    return this.compare(challenger, current) < 0;
  }

  hasFailed(id: PeerId): boolean {
    return this.failuresOf(id) !== undefined;
  }

  succeeded(id: PeerId): void {
    this.failedAttempts = 0;
    this.failures.delete(id);
  }

  /** Records a failure. If the attempt imported blocks first (`madeProgress`), the delay starts again. */
  failed(id: PeerId, madeProgress: boolean): void {
    this.failedAttempts = madeProgress ? 0 : this.failedAttempts + 1;
    const now = this.clock.now();
    const count = madeProgress ? 1 : (this.failuresOf(id)?.count ?? 0) + 1;
    const backOff = Math.min(LONGEST_BACK_OFF, FIRST_BACK_OFF * 2 ** (count - 1));
    this.failures.set(id, { count, lastAt: now, retryAt: now + backOff });
  }

  /** Removes old failures. */
  prune(): void {
    for (const id of [...this.failures.keys()]) this.failuresOf(id);
  }

  private failuresOf(id: PeerId): Failures | undefined {
    const failures = this.failures.get(id);
    if (failures === undefined || this.clock.now() - failures.lastAt < FAILURE_KEPT) return failures;
    this.failures.delete(id);
    return undefined;
  }

  private compare(a: Peer, b: Peer): number {
    const failedA = this.failuresOf(a.id)?.lastAt ?? Number.NEGATIVE_INFINITY;
    const failedB = this.failuresOf(b.id)?.lastAt ?? Number.NEGATIVE_INFINITY;
    if (failedA !== failedB) return failedA < failedB ? -1 : 1;
    const isByDirection = this.failedAttempts >= DISTRUSTED_AFTER && a.direction !== b.direction;
    if (isByDirection) return a.direction === "outbound" ? -1 : 1;
    const isServedByA = this.servesNext(a);
    if (isServedByA !== this.servesNext(b)) return isServedByA ? -1 : 1;
    const [claimA, claimB] = [a.status.totalDifficulty, b.status.totalDifficulty];
    return claimA > claimB ? -1 : claimA < claimB ? 1 : 0;
  }

  /** Whether a peer serves our next block. A range is a hint: a peer without one serves all. */
  private servesNext({ status }: Peer): boolean {
    return status.earliestBody <= this.next();
  }
}

function better(peers: readonly Peer[], totalDifficulty: bigint): Peer[] {
  return peers.filter(({ status }) => status.totalDifficulty > totalDifficulty);
}
