import type { NetworkConfig } from "@cambium/config";
import {
  askedRates,
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
  type ScoringEvent,
} from "@cambium/networking";
import type { Clock } from "@cambium/primitives";
import { bounded } from "../engine/bounded.js";
import { type Rate, RequestPace } from "../engine/request-pace.js";
import { Wakeup } from "../engine/wakeup.js";
import { SyncError } from "../errors.js";

/** Bit of a status that says the peer serves snapshots (`spec/07 §D.4`). */
const SERVES_SNAPSHOTS = 1;
/** Requests to one peer at once (`spec/07 §D.5`). */
const PARALLEL_REQUESTS = 2;
/** How long a peer that sent what cannot be right is not asked again, in milliseconds. */
const EXCLUSION = 600_000;
const REQUEST_LIMIT = 35_000;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;
const LOOK_AGAIN = 100;

export type SnapshotRequest = "hashes" | "headers" | "snap-status" | "snap-blocks" | "snap-chunk";

/** An answer that an honest peer does not give. */
export class BadAnswer extends Error {
  constructor(
    readonly event: ScoringEvent,
    detail: string,
  ) {
    super(detail);
  }
}

/** One thing to find out, from whoever has it. */
export interface SnapshotQuestion<T> {
  kind: SnapshotRequest;
  /** For people. */
  what: string;
  /** In the unit of the kind's rate. */
  cost: number;
  /** Asks and checks the answer; throws {@link BadAnswer} for a wrong one. */
  work: (peer: PeerId, signal: AbortSignal) => Promise<T>;
}

interface Standing {
  underWay: number;
  failures: number;
  pausedUntil: number;
  readonly pace: RequestPace<SnapshotRequest>;
}

/** Peers that serve snapshots: the least busy one is asked; another one after a failure, and never again after a lie. */
export class SnapshotPeers {
  private readonly standings = new Map<PeerId, Standing>();
  private readonly excludedUntil = new Map<PeerId, number>();
  private readonly changed: Wakeup;
  private readonly rates: Readonly<Record<SnapshotRequest, Rate>>;

  constructor(
    private readonly network: PeerNetwork,
    config: NetworkConfig,
    private readonly clock: Clock,
  ) {
    this.changed = new Wakeup(clock);
    this.rates = askedRates(config);
  }

  /** Connected, with snapshots, and not caught lying. */
  usable(): Peer[] {
    return this.network
      .peers()
      .filter(({ id, status }) => (status.flags & SERVES_SNAPSHOTS) !== 0 && !this.isExcluded(id));
  }

  private isExcluded(id: PeerId): boolean {
    const until = this.excludedUntil.get(id);
    if (until !== undefined && until <= this.clock.now()) this.excludedUntil.delete(id);
    return this.excludedUntil.has(id);
  }

  /** Told to the network, and not asked again for ten minutes. */
  exclude(id: PeerId, { event, message }: Pick<BadAnswer, "event" | "message">): void {
    // What was on its way already is told once.
    if (this.isExcluded(id)) return;
    this.excludedUntil.set(id, this.clock.now() + EXCLUSION);
    this.network.report(id, event, message);
    this.changed.notify();
  }

  /**
   * Asks until somebody gives a right answer, for as long as it takes: while nobody is there it waits. Rejects with
   * {@link SyncError} `SNAPSHOT_UNAVAILABLE` when every peer says that it does not have it, or with the signal's reason.
   * Of blocks and headers there may be no right answer: the same when all who answered were wrong and nobody is left.
   */
  async ask<T>(question: SnapshotQuestion<T>, signal: AbortSignal): Promise<{ answer: T; peer: PeerId }> {
    const without = new Set<PeerId>();
    let wrong = false;
    for (;;) {
      signal.throwIfAborted();
      const peers = this.usable().filter(({ id }) => !without.has(id));
      if (peers.length === 0 && (without.size > 0 || (wrong && question.kind !== "snap-chunk"))) {
        throw new SyncError({ code: "SNAPSHOT_UNAVAILABLE", reason: `no peer gave ${question.what}` });
      }
      const peer = this.readiest(peers, question);
      if (peer === undefined) {
        await this.changed.wait(LOOK_AGAIN, signal);
        continue;
      }
      try {
        return { answer: await this.askOne(peer, question, signal), peer };
      } catch (error) {
        signal.throwIfAborted();
        wrong ||= error instanceof BadAnswer;
        this.judge(peer, error, without);
      }
    }
  }

  /** Asks one peer once. Rejects as the network does, or with {@link BadAnswer}. */
  async askOne<T>(id: PeerId, { kind, cost, work }: SnapshotQuestion<T>, signal: AbortSignal): Promise<T> {
    const standing = this.standing(id);
    standing.underWay++;
    standing.pace.spend(kind, cost);
    try {
      const bounds = { clock: this.clock, signal, what: kind };
      const answer = await bounded((scope) => work(id, scope), REQUEST_LIMIT, bounds);
      standing.failures = 0;
      return answer;
    } finally {
      standing.underWay--;
      this.changed.notify();
    }
  }

  private judge(peer: PeerId, error: unknown, without: Set<PeerId>): void {
    if (error instanceof BadAnswer) this.exclude(peer, error);
    else if (!(error instanceof NetworkingError) && !(error instanceof SyncError)) throw error;
    else {
      if (error.code === "NOT_AVAILABLE") without.add(peer);
      this.pause(this.standing(peer));
    }
  }

  private pause(standing: Standing): void {
    const pause = FIRST_PAUSE * 2 ** standing.failures++;
    standing.pausedUntil = this.clock.now() + Math.min(pause, LONGEST_PAUSE);
  }

  private readiest(peers: readonly Peer[], { kind, cost }: SnapshotQuestion<unknown>): PeerId | undefined {
    const now = this.clock.now();
    let best: PeerId | undefined;
    let least = PARALLEL_REQUESTS;
    for (const { id } of peers) {
      const { underWay, pausedUntil, pace } = this.standing(id);
      if (underWay >= least || pausedUntil > now || pace.available(kind) < cost) continue;
      best = id;
      least = underWay;
    }
    return best;
  }

  private standing(id: PeerId): Standing {
    let standing = this.standings.get(id);
    if (standing === undefined) {
      standing = { underWay: 0, failures: 0, pausedUntil: 0, pace: new RequestPace(this.clock, this.rates) };
      this.standings.set(id, standing);
    }
    return standing;
  }
}
