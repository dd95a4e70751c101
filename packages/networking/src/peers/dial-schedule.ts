import { LruCache } from "@cambium/primitives";
import type { PeerId } from "../interface.js";

const PEERS = 4096;

interface Entry {
  forbiddenUntil: number;
  failures: number;
  retryAt: number;
}

/**
 * Times at which peers may be dialled, in milliseconds: not while they are forbidden, nor too soon after a failed dial.
 */
export class DialSchedule {
  private readonly entries = new LruCache<PeerId, Entry>(PEERS);

  constructor(
    private readonly now: () => number,
    private readonly backoff: { first: number; longest: number },
  ) {}

  /** Whether the peer must not be dialled at all. */
  isForbidden(peer: PeerId): boolean {
    return (this.entries.get(peer)?.forbiddenUntil ?? 0) > this.now();
  }

  /** Whether the peer may be dialled and no failed dial was too recent. */
  isDue(peer: PeerId): boolean {
    const entry = this.entries.get(peer);
    return entry === undefined || (entry.forbiddenUntil <= this.now() && entry.retryAt <= this.now());
  }

  forbid(peer: PeerId, duration: number): void {
    if (duration === 0) return;
    const entry = this.entry(peer);
    entry.forbiddenUntil = Math.max(entry.forbiddenUntil, this.now() + duration);
  }

  /** Allows dialling immediately: an operator asked for it. */
  reset(peer: PeerId): void {
    this.entries.delete(peer);
  }

  failed(peer: PeerId): void {
    const entry = this.entry(peer);
    const { first, longest } = this.backoff;
    entry.retryAt = this.now() + Math.min(longest, first * 2 ** Math.min(entry.failures, 16));
    entry.failures++;
  }

  succeeded(peer: PeerId): void {
    const entry = this.entries.get(peer);
    if (entry !== undefined) this.entries.set(peer, { ...entry, failures: 0, retryAt: 0 });
  }

  private entry(peer: PeerId): Entry {
    const entry = this.entries.get(peer) ?? { forbiddenUntil: 0, failures: 0, retryAt: 0 };
    this.entries.set(peer, entry);
    return entry;
  }
}
