import { NetworkingError, type Peer, type PeerId, type PeerNetwork, type ScoringEvent } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import { bounded } from "../shared/bounded.js";
import { type PacedRequest, RequestPace } from "../shared/request-pace.js";
import { SlowPeers } from "../shared/slow-peers.js";
import { Wakeup } from "../shared/wakeup.js";

/** Maximum number of requests to one peer at a time (`spec/07 §D.5`). */
const PARALLEL_REQUESTS = 2;
/** Milliseconds during which a peer that sent invalid data gets no requests. */
const EXCLUSION = 600_000;
const REQUEST_LIMIT = 35_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
const POLL_INTERVAL = 100;

/** An answer that no honest peer sends. */
export class BadAnswer extends Error {
  constructor(
    readonly event: ScoringEvent,
    detail: string,
  ) {
    super(detail);
  }
}

/** A request that any peer may answer. */
export interface SnapshotRequest<T> {
  kind: PacedRequest;
  /** Name of the request for error messages. */
  what: string;
  /** Cost in the unit of the request's kind. */
  cost: number;
  /** Sends the request and checks the answer; throws {@link BadAnswer} for a wrong one. */
  work: (peer: PeerId, signal: AbortSignal) => Promise<T>;
}

/** Requests to one peer and their recent outcome. */
interface SnapshotPeerLoad {
  active: number;
  failures: number;
  pausedUntil: number;
  readonly pace: RequestPace;
}

/**
 * Sends requests to the least busy suitable peer, by default to those that serve snapshots. After a failure it uses
 * another peer, and never one that sent invalid data.
 */
export class SnapshotPeers {
  private readonly loads = new Map<PeerId, SnapshotPeerLoad>();
  private readonly excludedUntil = new Map<PeerId, number>();
  private readonly changed: Wakeup;
  private readonly slow: SlowPeers;

  constructor(
    private readonly network: PeerNetwork,
    private readonly clock: Clock,
    private readonly isSuitable: (peer: Peer) => boolean = ({ capabilities }) => capabilities.servesSnapshots,
  ) {
    this.changed = new Wakeup(clock);
    this.slow = new SlowPeers(clock);
  }

  /** Returns connected peers that are suitable and sent no invalid data. */
  usable(): Peer[] {
    return this.network.peers().filter((peer) => this.isSuitable(peer) && !this.isExcluded(peer.id));
  }

  private isExcluded(id: PeerId): boolean {
    const until = this.excludedUntil.get(id);
    if (until !== undefined && until <= this.clock.now()) this.excludedUntil.delete(id);
    return this.excludedUntil.has(id);
  }

  /** Reports a peer to the network; it gets no requests for ten minutes. */
  exclude(id: PeerId, { event, message }: Pick<BadAnswer, "event" | "message">): void {
    // Further wrong answers that were already in flight are not reported.
    if (this.isExcluded(id)) return;
    this.excludedUntil.set(id, this.clock.now() + EXCLUSION);
    this.network.report(id, event, message);
    this.changed.notify();
  }

  /**
   * Sends a request to one peer after the other until one answers correctly; without peers it waits. Rejects with
   * {@link SyncError} `SNAPSHOT_UNAVAILABLE` when every peer answers "not available", or with the signal's reason. For
   * blocks and headers, which may have no correct answer, also rejects when all answers were wrong and no peer is left.
   */
  async ask<T>(request: SnapshotRequest<T>, signal: AbortSignal): Promise<{ answer: T; peer: PeerId }> {
    const without = new Set<PeerId>();
    let wrong = false;
    for (;;) {
      signal.throwIfAborted();
      const peers = this.usable().filter(({ id }) => !without.has(id));
      if (peers.length === 0 && (without.size > 0 || (wrong && request.kind !== "snap-chunk"))) {
        throw new SyncError({ code: "SNAPSHOT_UNAVAILABLE", reason: `no peer sent ${request.what}` });
      }
      const peer = this.leastBusy(this.preferred(peers), request);
      if (peer === undefined) {
        await this.changed.wait(POLL_INTERVAL, signal);
        continue;
      }
      try {
        return { answer: await this.askOne(peer, request, signal), peer };
      } catch (error) {
        signal.throwIfAborted();
        wrong ||= error instanceof BadAnswer;
        this.handleFailure(peer, error, without);
      }
    }
  }

  /** Sends a request to one peer, once. Rejects with the error of the network, or {@link BadAnswer}. */
  async askOne<T>(id: PeerId, { kind, cost, work }: SnapshotRequest<T>, signal: AbortSignal): Promise<T> {
    const load = this.loadOf(id);
    load.active++;
    load.pace.spend(kind, cost);
    const start = this.clock.now();
    try {
      const bounds = { clock: this.clock, signal, what: kind };
      const answer = await bounded((scope) => work(id, scope), REQUEST_LIMIT, bounds);
      load.failures = 0;
      return answer;
    } finally {
      this.slow.answered(id, start);
      load.active--;
      this.changed.notify();
    }
  }

  private handleFailure(peer: PeerId, error: unknown, without: Set<PeerId>): void {
    if (error instanceof BadAnswer) this.exclude(peer, error);
    else if (!(error instanceof NetworkingError) && !(error instanceof SyncError)) throw error;
    else {
      if (error.code === "NOT_AVAILABLE") without.add(peer);
      this.pause(this.loadOf(peer));
    }
  }

  private pause(load: SnapshotPeerLoad): void {
    const pause = FIRST_PAUSE * 2 ** load.failures++;
    load.pausedUntil = this.clock.now() + Math.min(pause, LONGEST_PAUSE);
  }

  /** Records that a peer sends less than requested. */
  noteSlow(id: PeerId): void {
    this.slow.note(id);
  }

  /** Returns the quick peers, unless all of them failed a moment ago. */
  private preferred(peers: readonly Peer[]): readonly Peer[] {
    const now = this.clock.now();
    const quick = peers.filter(({ id }) => !this.slow.has(id) && this.loadOf(id).pausedUntil <= now);
    return quick.length > 0 ? quick : peers;
  }

  private leastBusy(peers: readonly Peer[], { kind, cost }: SnapshotRequest<unknown>): PeerId | undefined {
    const now = this.clock.now();
    let best: PeerId | undefined;
    let least = PARALLEL_REQUESTS;
    for (const { id } of peers) {
      const { active, pausedUntil, pace } = this.loadOf(id);
      if (active >= least || pausedUntil > now || pace.available(kind) < cost) continue;
      best = id;
      least = active;
    }
    return best;
  }

  private loadOf(id: PeerId): SnapshotPeerLoad {
    let load = this.loads.get(id);
    if (load === undefined) {
      const pace = new RequestPace(this.clock, () => this.network.peer(id)?.capabilities.rates);
      load = { active: 0, failures: 0, pausedUntil: 0, pace };
      this.loads.set(id, load);
    }
    return load;
  }
}
