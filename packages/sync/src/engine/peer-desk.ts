import { NetworkingError, type Peer, type PeerId, type PeerNetwork, type ScoringEvent } from "@cambium/networking";
import type { Clock } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import { bounded } from "./bounded.js";
import { type PacedRequest, type Rates, RequestPace } from "./request-pace.js";
import { Throughput } from "./throughput.js";
import type { Wakeup } from "./wakeup.js";

/** Requests to one peer at once (`spec/07 §D.5`). */
const PARALLEL_REQUESTS = 2;
/** How long a peer that proved to be wrong is not asked again, in milliseconds. */
const EXCLUSION = 600_000;
/** A whole request, should the network not end it itself by then (`spec/07 §D.5`: 30 s). */
const REQUEST_LIMIT = 35_000;
/** Longest wait for a peer to have room for a request. */
const ROOM_LIMIT = 20_000;
const RATE_LIMITED_PAUSE = 5_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

interface Standing {
  underWay: number;
  pausedUntil: number;
  /** Requests that failed in a row. */
  failures: number;
  readonly pace: RequestPace;
  readonly throughput: Throughput;
}

export interface PeerDeskModules {
  network: PeerNetwork;
  clock: Clock;
  rates: Rates;
  /** Told when a peer may have room again. */
  changed: Wakeup;
}

/** One request of {@link PeerDesk.ask}. */
export interface Question {
  kind: PacedRequest;
  /** In the kind's unit. */
  cost: number;
  signal: AbortSignal;
}

/** A request's place at a peer. */
export interface Place {
  readonly peer: PeerId;
  /** The request ended; with what it failed with, if it did. To be called once. */
  finish(error?: unknown): void;
}

/** Whom requests may go to: two at a time for each peer, within its rates, none to those that failed or lied. */
export class PeerDesk {
  private readonly standings = new Map<PeerId, Standing>();
  private readonly excludedUntil = new Map<PeerId, number>();
  /** Headers come first: while somebody waits to ask for some, bodies leave a place at each peer. */
  private waitingForRoom = 0;

  constructor(private readonly modules: PeerDeskModules) {}

  /** Connected, and never caught lying in the last ten minutes. */
  peers(): Peer[] {
    return this.modules.network.peers().filter(({ id }) => !this.isExcluded(id));
  }

  isUsable(id: PeerId): boolean {
    return this.modules.network.peer(id) !== undefined && !this.isExcluded(id);
  }

  throughput(id: PeerId): Throughput {
    return this.standing(id).throughput;
  }

  /** How many bodies the peer can be asked for at this moment. */
  roomForBodies(id: PeerId): number {
    const standing = this.standing(id);
    const places = this.waitingForRoom > 0 ? PARALLEL_REQUESTS - 1 : PARALLEL_REQUESTS;
    if (standing.underWay >= places || this.isPaused(standing)) return 0;
    return Math.min(standing.throughput.batch, standing.pace.available("bodies"));
  }

  /** Whether a question would not have to wait. */
  private hasRoom(id: PeerId, { kind, cost }: Pick<Question, "kind" | "cost">): boolean {
    const standing = this.standing(id);
    if (standing.underWay >= PARALLEL_REQUESTS || this.isPaused(standing)) return false;
    return standing.pace.available(kind) >= cost;
  }

  /** Begins a request. */
  begin(peer: PeerId, kind: PacedRequest, cost: number): Place {
    const standing = this.standing(peer);
    standing.underWay++;
    standing.pace.spend(kind, cost);
    return {
      peer,
      finish: (error) => {
        standing.underWay--;
        if (error === undefined) standing.failures = 0;
        else this.note(standing, error);
        this.modules.changed.notify();
      },
    };
  }

  /**
   * A place at one of these peers that has room for the question, the first ones first; undefined when there was none for
   * too long, or none of them can be asked any more. Rejects when the signal aborts.
   */
  async reserve(candidates: () => readonly PeerId[], question: Question): Promise<Place | undefined> {
    const { clock, changed } = this.modules;
    const end = clock.now() + ROOM_LIMIT;
    this.waitingForRoom++;
    try {
      for (;;) {
        question.signal.throwIfAborted();
        const usable = candidates().filter((id) => this.isUsable(id));
        const ready = usable.find((id) => this.hasRoom(id, question));
        if (ready !== undefined) return this.begin(ready, question.kind, question.cost);
        if (usable.length === 0 || clock.now() >= end) return undefined;
        await changed.wait(100, question.signal);
      }
    } finally {
      this.waitingForRoom--;
    }
  }

  /** Asks one peer when it has room. Rejects with what the request rejects with, or {@link SyncError}. */
  async ask<T>(id: PeerId, question: Question, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const place = await this.reserve(() => [id], question);
    if (place === undefined) throw new SyncError({ code: "PEER_GONE", peer: id });
    return this.askAt(place, question, work);
  }

  /** As {@link ask} at a place that was reserved, which is free again afterwards. */
  async askAt<T>(place: Place, question: Question, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { kind, signal } = question;
    let failure: unknown;
    try {
      return await bounded(work, REQUEST_LIMIT, { clock: this.modules.clock, signal, what: kind });
    } catch (error) {
      failure = signal.aborted ? undefined : error;
      throw error;
    } finally {
      place.finish(failure);
    }
  }

  /** The peer sent what cannot come from an honest one: told to the network, and not asked again for ten minutes. */
  exclude(id: PeerId, event: ScoringEvent, detail: string): void {
    this.excludedUntil.set(id, this.modules.clock.now() + EXCLUSION);
    this.modules.network.report(id, event, detail);
    this.modules.changed.notify();
  }

  /** Not asked for a while, longer each time; for answers without content. */
  pause(id: PeerId): void {
    this.note(this.standing(id), undefined);
  }

  /** Forgets peers that left; exclusions outlive their connection. */
  prune(): void {
    for (const [id, { underWay, pace }] of this.standings) {
      const isGone = this.modules.network.peer(id) === undefined;
      if (isGone && underWay === 0 && pace.isRested) this.standings.delete(id);
    }
    for (const id of [...this.excludedUntil.keys()]) this.isExcluded(id);
  }

  private isExcluded(id: PeerId): boolean {
    const until = this.excludedUntil.get(id);
    if (until === undefined) return false;
    if (until > this.modules.clock.now()) return true;
    this.excludedUntil.delete(id);
    return false;
  }

  private isPaused({ pausedUntil }: Standing): boolean {
    return pausedUntil > this.modules.clock.now();
  }

  private note(standing: Standing, error: unknown): void {
    const code = error instanceof NetworkingError ? error.code : undefined;
    if (code === "NOT_AVAILABLE") return;
    standing.failures++;
    const pause = code === "RATE_LIMITED" ? RATE_LIMITED_PAUSE : FIRST_PAUSE * 2 ** (standing.failures - 1);
    standing.pausedUntil = this.modules.clock.now() + Math.min(pause, LONGEST_PAUSE);
  }

  private standing(id: PeerId): Standing {
    let standing = this.standings.get(id);
    if (standing === undefined) {
      const pace = new RequestPace(this.modules.clock, this.modules.rates);
      standing = { underWay: 0, pausedUntil: 0, failures: 0, pace, throughput: new Throughput() };
      this.standings.set(id, standing);
    }
    return standing;
  }
}
