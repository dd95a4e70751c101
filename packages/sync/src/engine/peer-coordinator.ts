import { NetworkingError, type Peer, type PeerId, type PeerNetwork, type ScoringEvent } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import { bounded } from "../shared/bounded.js";
import { type PacedRequest, RequestPace } from "../shared/request-pace.js";
import { SlowPeers } from "../shared/slow-peers.js";
import type { Wakeup } from "../shared/wakeup.js";
import { Throughput } from "./throughput.js";

/** Maximum number of requests to one peer at a time (`spec/07 §D.5`). */
const PARALLEL_REQUESTS = 2;
/** Milliseconds during which a peer that sent invalid data gets no requests. */
const EXCLUSION = 600_000;
/** Time limit of a request in milliseconds, a little above that of the network (`spec/07 §D.5`: 30 s). */
const REQUEST_LIMIT = 35_000;
/** Longest wait until a peer can take a request, in milliseconds. */
const ROOM_LIMIT = 20_000;
const RATE_LIMITED_PAUSE = 5_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** The coordinator's state of one peer. */
interface PeerLoad {
  /** Number of requests in progress. */
  active: number;
  pausedUntil: number;
  /** Number of consecutive failed requests. */
  failures: number;
  readonly pace: RequestPace;
  readonly throughput: Throughput;
}

export interface PeerCoordinatorParts {
  network: PeerNetwork;
  clock: Clock;
  /** Notified when a peer may take a request again. */
  changed: Wakeup;
}

/** A request for {@link PeerCoordinator.ask}. */
export interface PlannedRequest {
  kind: PacedRequest;
  /** Cost in the unit of the request's kind. */
  cost: number;
  signal: AbortSignal;
}

/** A reserved request slot at a peer. */
export interface Reservation {
  readonly peer: PeerId;
  /** Frees the slot, once, with the error if the request failed. */
  finish(error?: unknown): void;
}

/**
 * Distributes requests to peers: two at a time for each, within its rates, and none to peers that failed or sent
 * invalid data.
 */
export class PeerCoordinator {
  readonly slow: SlowPeers;
  private readonly loads = new Map<PeerId, PeerLoad>();
  private readonly excludedUntil = new Map<PeerId, number>();
  /** Number of waiting header requests. Headers have priority: bodies then leave a slot free at each peer. */
  private waitingForRoom = 0;

  constructor(private readonly parts: PeerCoordinatorParts) {
    this.slow = new SlowPeers(parts.clock);
  }

  /** Connected peers that sent no invalid data in the last ten minutes. */
  peers(): Peer[] {
    return this.parts.network.peers().filter(({ id }) => !this.isExcluded(id));
  }

  isUsable(id: PeerId): boolean {
    return this.parts.network.peer(id) !== undefined && !this.isExcluded(id);
  }

  throughput(id: PeerId): Throughput {
    return this.loadOf(id).throughput;
  }

  /** Returns how many bodies can be requested from the peer now. */
  roomForBodies(id: PeerId): number {
    const load = this.loadOf(id);
    const slots = this.waitingForRoom > 0 ? PARALLEL_REQUESTS - 1 : PARALLEL_REQUESTS;
    if (load.active >= slots || this.isPaused(load)) return 0;
    return Math.min(load.throughput.batch, load.pace.available("bodies"));
  }

  /** Whether a request can start immediately. */
  private hasRoom(id: PeerId, { kind, cost }: Pick<PlannedRequest, "kind" | "cost">): boolean {
    const load = this.loadOf(id);
    if (load.active >= PARALLEL_REQUESTS || this.isPaused(load)) return false;
    return load.pace.available(kind) >= cost;
  }

  /** Starts a request. */
  begin(peer: PeerId, kind: PacedRequest, cost: number): Reservation {
    const load = this.loadOf(peer);
    load.active++;
    load.pace.spend(kind, cost);
    return {
      peer,
      finish: (error) => {
        load.active--;
        if (error === undefined) load.failures = 0;
        else this.note(load, error);
        this.parts.changed.notify();
      },
    };
  }

  /**
   * Reserves a slot at the first of these peers that can take the request. Undefined if none can within the time limit
   * or none remains usable. Rejects when the signal aborts.
   */
  async reserve(candidates: () => readonly PeerId[], request: PlannedRequest): Promise<Reservation | undefined> {
    const { clock, changed } = this.parts;
    const end = clock.now() + ROOM_LIMIT;
    this.waitingForRoom++;
    try {
      for (;;) {
        request.signal.throwIfAborted();
        const usable = candidates().filter((id) => this.isUsable(id));
        const ready = usable.find((id) => this.hasRoom(id, request));
        if (ready !== undefined) return this.begin(ready, request.kind, request.cost);
        if (usable.length === 0 || clock.now() >= end) return undefined;
        await changed.wait(100, request.signal);
      }
    } finally {
      this.waitingForRoom--;
    }
  }

  /** Sends a request as soon as the peer can take it. Rejects with the error of the request, or {@link SyncError}. */
  async ask<T>(id: PeerId, request: PlannedRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const reservation = await this.reserve(() => [id], request);
    if (reservation === undefined) throw new SyncError({ code: "PEER_GONE", peer: id });
    return this.askAt(reservation, request, work);
  }

  /** Like {@link ask}, in a reserved slot, which is freed afterwards. */
  async askAt<T>(
    reservation: Reservation,
    request: PlannedRequest,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { kind, signal } = request;
    const { clock } = this.parts;
    const start = clock.now();
    let failure: unknown;
    try {
      return await bounded(work, REQUEST_LIMIT, { clock, signal, what: kind });
    } catch (error) {
      failure = signal.aborted ? undefined : error;
      throw error;
    } finally {
      this.slow.answered(reservation.peer, start);
      reservation.finish(failure);
    }
  }

  /** Reports a peer that sent what no honest peer sends; it gets no requests for ten minutes. */
  exclude(id: PeerId, event: ScoringEvent, detail: string): void {
    this.excludedUntil.set(id, this.parts.clock.now() + EXCLUSION);
    this.parts.network.report(id, event, detail);
    this.parts.changed.notify();
  }

  /** Sends no requests to a peer for a while, longer each time, because its answer was empty. */
  pause(id: PeerId): void {
    this.note(this.loadOf(id), undefined);
  }

  /** Removes disconnected peers; exclusions stay. */
  prune(): void {
    for (const [id, { active, pace }] of this.loads) {
      const isDisconnected = this.parts.network.peer(id) === undefined;
      if (isDisconnected && active === 0 && pace.isRested) this.loads.delete(id);
    }
    for (const id of [...this.excludedUntil.keys()]) this.isExcluded(id);
  }

  private isExcluded(id: PeerId): boolean {
    const until = this.excludedUntil.get(id);
    if (until === undefined) return false;
    if (until > this.parts.clock.now()) return true;
    this.excludedUntil.delete(id);
    return false;
  }

  private isPaused({ pausedUntil }: PeerLoad): boolean {
    return pausedUntil > this.parts.clock.now();
  }

  private note(load: PeerLoad, error: unknown): void {
    const code = error instanceof NetworkingError ? error.code : undefined;
    if (code === "NOT_AVAILABLE") return;
    load.failures++;
    const pause = code === "RATE_LIMITED" ? RATE_LIMITED_PAUSE : FIRST_PAUSE * 2 ** (load.failures - 1);
    load.pausedUntil = this.parts.clock.now() + Math.min(pause, LONGEST_PAUSE);
  }

  private loadOf(id: PeerId): PeerLoad {
    let load = this.loads.get(id);
    if (load === undefined) {
      const { clock, network } = this.parts;
      const pace = new RequestPace(clock, () => network.peer(id)?.capabilities.rates);
      load = { active: 0, pausedUntil: 0, failures: 0, pace, throughput: new Throughput() };
      this.loads.set(id, load);
    }
    return load;
  }
}
