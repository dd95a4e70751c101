import {
  type BlockId,
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
  type PeerStatus,
} from "@cambium/networking";
import { type Clock, type Logger, platformClock, toHex } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import type { Checkpoint, SyncChain, SyncProgress, SyncStatus } from "../interface.js";
import { type BlockFlowModules, importVerified } from "./block-flow.js";
import { WINDOW_LIMITS, type WindowLimits } from "./body-download.js";
import { bounded } from "./bounded.js";
import { findConnectionPoint } from "./connection-point.js";
import { HeaderDownload, type VerifiedHeaders } from "./header-download.js";
import { HeaderVerifier } from "./header-verifier.js";
import { LONG_SYNC_LIMIT, LongSync } from "./long-sync.js";
import { PeerChoice } from "./peer-choice.js";
import { PeerCoordinator } from "./peer-coordinator.js";
import { fetchAncestors, SHORT_GAP } from "./short-path.js";
import { SpeedMeter } from "./speed-meter.js";
import { statusLine } from "./status-line.js";
import { Wakeup } from "./wakeup.js";

/** Distance from which gossip is ignored (`spec/07 §B.5`, "better block to sync"). */
const FAR_BEHIND = 24;
/** Milliseconds without progress after which an attempt no longer suppresses gossip. */
const STANDSTILL = 5_000;
/** Blocks that gossip usually delivers by itself, within `GRACE` milliseconds. */
const SMALL_GAP = 8;
const GRACE = 500;
/** Milliseconds between two checks of the peers without an event. */
const IDLE = 10_000;
const STATUS_LINE_INTERVAL = 8_000;
/** Time limit of the search for the common block. */
const CONNECTION_LIMIT = 120_000;
/** Short paths in progress. */
const MAX_SHORT_PATHS = 8;

export interface SyncEngineModules {
  chain: SyncChain;
  network: PeerNetwork;
  logger: Logger;
  clock?: Clock;
  /** Local time in seconds. */
  now?: () => number;
}

export interface SyncEngineOptions {
  checkpoint?: Checkpoint;
  /** Limits on blocks that wait for import. */
  window?: WindowLimits;
}

/** One attempt to reach the best block that a peer claims. */
interface Attempt {
  readonly target: Peer;
  /** The claim at the start. */
  readonly claim: PeerStatus;
  phase: "connection-point" | "headers" | "bodies";
  isLong: boolean;
  /** Highest verified header. */
  verified: number;
  hasProgress: boolean;
  /** When the first header was verified, or the last block imported. */
  movedAt: number;
  /** Peers whose skeleton is followed. */
  leaders: () => readonly PeerId[];
  readonly deliveries: Map<PeerId, number>;
}

/**
 * Synchronises the chain with the best peers, and keeps it there if gossip does not (`spec/07 §D.7`). It works in
 * attempts: choose a peer that claims more work than ours, find the common block, download headers and bodies, import.
 * Whatever the outcome, another attempt follows as long as a peer claims more work.
 */
export class SyncEngine {
  private readonly clock: Clock;
  private readonly wake: Wakeup;
  private readonly coordinator: PeerCoordinator;
  private readonly choice: PeerChoice;
  private readonly verifier: HeaderVerifier;
  private readonly longSync: LongSync;
  private readonly speed: SpeedMeter;
  private readonly changed: Wakeup;
  /** By the hash of the requested block. */
  private readonly shortPaths = new Map<string, Promise<void>>();
  private attempt: Attempt | undefined;
  private running: { controller: AbortController; done: Promise<void>; end: () => void } | undefined;

  constructor(
    private readonly modules: SyncEngineModules,
    private readonly options: SyncEngineOptions = {},
  ) {
    const { chain, network, now = () => Date.now() / 1000 } = modules;
    this.clock = modules.clock ?? platformClock;
    this.wake = new Wakeup(this.clock);
    this.changed = new Wakeup(this.clock);
    this.coordinator = new PeerCoordinator({ network, clock: this.clock, changed: this.changed });
    this.choice = new PeerChoice(this.clock);
    const { checkpoint } = options;
    this.verifier = new HeaderVerifier({ chain, network: chain.network, checkpoint, now });
    this.longSync = new LongSync(() => this.bestNumber);
    this.speed = new SpeedMeter(this.clock);
  }

  start(): void {
    if (this.running !== undefined) return;
    const controller = new AbortController();
    const stopListening = this.modules.network.on(() => {
      this.wake.notify();
      this.changed.notify();
    });
    const stopLines = this.clock.every(STATUS_LINE_INTERVAL, () => this.logLine());
    const end = () => {
      stopListening();
      stopLines();
    };
    this.running = { controller, done: this.run(controller.signal), end };
  }

  /** Ends requests and waits for running imports. */
  async stop(): Promise<void> {
    const { running } = this;
    if (running === undefined) return;
    this.running = undefined;
    running.end();
    running.controller.abort(new SyncError({ code: "STOPPED" }));
    await Promise.all([running.done, ...this.shortPaths.values()]);
    this.longSync.end();
  }

  progress(): SyncProgress {
    const { attempt, bestNumber: current } = this;
    const peers = this.modules.network.peers().length;
    if (attempt === undefined) {
      const phase = peers > 0 ? "following" : "waiting";
      return { phase, current, target: current, blocksPerSecond: 0, peers, timeLeft: undefined, from: undefined };
    }
    const target = Math.max(current, attempt.verified, this.latestClaim(attempt).bestNumber);
    const blocksPerSecond = this.speed.perSecond;
    const timeLeft = blocksPerSecond > 0 ? (target - current) / blocksPerSecond : undefined;
    return {
      phase: attempt.phase,
      current,
      target,
      blocksPerSecond,
      peers,
      timeLeft,
      from: mostOf(attempt.deliveries),
    };
  }

  /** `eth_syncing`: false unless a long synchronisation is in progress. */
  status(): SyncStatus {
    return this.longSync.status;
  }

  /** Notifies of the start (its status) and end (false) of each long synchronisation; returns a function that stops it. */
  onChange(listener: (status: SyncStatus) => void): () => void {
    return this.longSync.onChange(listener);
  }

  /**
   * Whether verified headers are so far ahead that gossip is ignored (`spec/07 §D.8`). Not without progress: a peer that
   * withholds blocks must not suppress the gossip of others.
   */
  isFarBehind(): boolean {
    const { attempt } = this;
    if (attempt === undefined || !attempt.isLong || attempt.verified < this.bestNumber + FAR_BEHIND) return false;
    return this.clock.now() - attempt.movedAt < STANDSTILL;
  }

  /**
   * Fetches a block and its missing ancestors from the peer that sent it, if they are near. Never throws; the chain shows
   * the outcome.
   */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void {
    const { running } = this;
    const key = toHex(hash);
    if (running === undefined || this.isFarBehind() || this.shortPaths.has(key)) return;
    if (this.modules.chain.isKnownInvalid(hash) || !this.coordinator.isUsable(peer)) return;
    this.wake.notify();
    const isNear = Math.abs(number - this.bestNumber) <= SHORT_GAP;
    if (!isNear || !this.isPastCheckpoint() || this.shortPaths.size >= MAX_SHORT_PATHS) return;
    const path = this.shortPath(peer, { hash, number }, running.controller.signal)
      .catch((error: unknown) => {
        this.modules.logger.debug({ peer, number, reason: reasonOf(error) }, "Failed to fetch ancestors");
      })
      .finally(() => {
        this.shortPaths.delete(key);
        this.wake.notify();
      });
    this.shortPaths.set(key, path);
  }

  private get bestNumber(): number {
    return this.modules.chain.best().header.number;
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.coordinator.prune();
      this.choice.prune();
      const isBehind = await this.isReallyBehind(signal);
      const target = isBehind ? this.chosen() : undefined;
      if (target === undefined) await this.idle(signal);
      else await this.tryOnce(target, signal);
    }
  }

  private chosen(): Peer | undefined {
    return this.choice.best(this.coordinator.peers(), this.modules.chain.best().totalDifficulty);
  }

  /** Gives gossip a moment to deliver the last few blocks. */
  private async isReallyBehind(signal: AbortSignal): Promise<boolean> {
    const target = this.chosen();
    if (target === undefined) return false;
    if (target.status.bestNumber - this.bestNumber > SMALL_GAP || this.bestNumber === 0) return true;
    await new Wakeup(this.clock).wait(GRACE, signal);
    return !signal.aborted;
  }

  private async idle(signal: AbortSignal): Promise<void> {
    this.reviewLongSync();
    const retryIn = this.choice.retryIn(this.coordinator.peers(), this.modules.chain.best().totalDifficulty);
    await this.wake.wait(Math.min(IDLE, Math.max(retryIn ?? IDLE, 50)), signal);
  }

  private async tryOnce(target: Peer, signal: AbortSignal): Promise<void> {
    const { logger } = this.modules;
    const claim = { ...target.status };
    const attempt: Attempt = {
      target,
      claim,
      phase: "connection-point",
      isLong: false,
      verified: 0,
      hasProgress: false,
      movedAt: this.clock.now(),
      leaders: () => [],
      deliveries: new Map(),
    };
    this.attempt = attempt;
    this.speed.restart();
    try {
      const isComplete = await this.syncFrom(attempt, signal);
      if (isComplete && this.modules.chain.best().totalDifficulty < claim.totalDifficulty) {
        this.modules.network.report(target.id, "UNEXPECTED_MESSAGE", "its chain has less work than it claims");
        throw new SyncError({ code: "CLAIM_NOT_MET", peer: target.id });
      }
      this.choice.succeeded(target.id);
    } catch (error) {
      if (signal.aborted) return;
      const leaders = attempt.leaders();
      for (const id of leaders.length > 0 ? leaders : [target.id]) this.choice.failed(id, attempt.hasProgress);
      const isOurs = !(error instanceof SyncError || error instanceof NetworkingError);
      const data = { peer: target.id, reason: reasonOf(error) };
      if (isOurs) logger.warn(data, "Synchronisation failed");
      else logger.debug(data, "Synchronisation attempt ended");
    } finally {
      this.attempt = undefined;
      this.reviewLongSync();
    }
  }

  /** Resolves with whether the target's own chain was followed to its end. */
  private async syncFrom(attempt: Attempt, signal: AbortSignal): Promise<boolean> {
    const { target, claim } = attempt;
    if (claim.bestNumber - this.bestNumber <= SHORT_GAP && this.isPastCheckpoint()) {
      attempt.phase = "headers";
      try {
        await this.shortPath(target.id, { hash: claim.bestHash, number: claim.bestNumber }, signal, attempt);
        return true;
      } catch (error) {
        if (!(error instanceof SyncError && error.code === "TOO_DEEP")) throw error;
      }
    }
    return this.longPath(attempt, signal);
  }

  private async longPath(attempt: Attempt, signal: AbortSignal): Promise<boolean> {
    const { chain, network, logger } = this.modules;
    const { target, claim } = attempt;
    attempt.isLong = true;
    attempt.phase = "connection-point";
    const parts = { chain, network, coordinator: this.coordinator, choice: this.choice, verifier: this.verifier };
    const point = await this.connectionPoint(attempt, signal);
    logger.info({ peer: target.id, from: point.number, to: claim.bestNumber }, "Synchronising");
    attempt.phase = "headers";
    const download = new HeaderDownload(parts, target, point);
    attempt.leaders = () => download.leaders;
    let isComplete = true;
    const supply = (inner: AbortSignal) =>
      this.rounds(download, attempt, inner, () => {
        isComplete = false;
      });
    await importVerified(supply, this.flow(attempt), signal);
    return isComplete;
  }

  private async connectionPoint(attempt: Attempt, signal: AbortSignal) {
    const { chain, network } = this.modules;
    const { checkpoint } = this.options;
    const parts = { chain, network, coordinator: this.coordinator, checkpoint };
    const { target } = attempt;
    const limits = { clock: this.clock, signal, what: "connection point" };
    try {
      return await bounded((inner) => findConnectionPoint(target, parts, inner), CONNECTION_LIMIT, limits);
    } catch (error) {
      if (error instanceof SyncError && error.code === "OTHER_GENESIS") {
        this.coordinator.exclude(target.id, "UNEXPECTED_GENESIS", "its genesis block is another one");
      }
      if (error instanceof SyncError && error.code === "CHECKPOINT") {
        this.coordinator.exclude(target.id, "INVALID_HEADER", "its chain does not contain the checkpoint");
      }
      throw error;
    }
  }

  /** Downloads skeleton after skeleton until the target's claim is reached, or another chain is preferred. */
  private async *rounds(
    download: HeaderDownload,
    attempt: Attempt,
    signal: AbortSignal,
    onLeft: () => void,
  ): AsyncGenerator<VerifiedHeaders> {
    for (let isFirst = true; download.reached.number < this.latestClaim(attempt).bestNumber; isFirst = false) {
      let sources: readonly PeerId[] = [];
      try {
        for await (const part of download.round(signal)) {
          sources = part.sources;
          yield part;
        }
      } catch (error) {
        // Verified headers are imported even if no peer leads further.
        if (isFirst || !(error instanceof SyncError && error.code === "SKELETON")) throw error;
        return onLeft();
      }
      if (sources.length === 0) return;
      if (!sources.includes(attempt.target.id)) onLeft();
      const preferred = this.chosen();
      const isOfThisChain = preferred === undefined || sources.includes(preferred.id);
      if (!isOfThisChain && this.choice.isBetter(preferred, attempt.target)) return onLeft();
    }
  }

  private async shortPath(peer: PeerId, block: BlockId, signal: AbortSignal, attempt?: Attempt): Promise<void> {
    const { chain, network } = this.modules;
    const parts = { chain, network, coordinator: this.coordinator, verifier: this.verifier };
    const verified = await fetchAncestors(peer, block, parts, signal);
    if (verified === undefined) return;
    await importVerified(() => only(verified), this.flow(attempt), signal);
  }

  private flow(attempt: Attempt | undefined): BlockFlowModules {
    const { chain, network } = this.modules;
    return {
      chain,
      network,
      chainNetwork: chain.network,
      coordinator: this.coordinator,
      clock: this.clock,
      changed: this.changed,
      window: this.options.window ?? WINDOW_LIMITS,
      onVerified: ({ headers }) => this.onVerified(attempt, headers.at(-1)!.number),
      onDelivery: (from) => attempt?.deliveries.set(from, (attempt.deliveries.get(from) ?? 0) + 1),
      onImported: () => {
        this.speed.count();
        if (attempt === undefined) return;
        attempt.hasProgress = true;
        attempt.movedAt = this.clock.now();
      },
    };
  }

  private onVerified(attempt: Attempt | undefined, number: number): void {
    if (attempt === undefined) return;
    if (attempt.verified === 0) attempt.movedAt = this.clock.now();
    attempt.verified = Math.max(attempt.verified, number);
    attempt.phase = "bodies";
    const highest = Math.max(attempt.verified, attempt.claim.bestNumber);
    if (attempt.isLong && attempt.verified - this.bestNumber > LONG_SYNC_LIMIT) this.longSync.start(highest);
  }

  /** Ends the long synchronisation unless a peer without failures is still far ahead. */
  private reviewLongSync(): void {
    const { totalDifficulty, header } = this.modules.chain.best();
    const isFar = ({ id, status }: Peer) =>
      status.totalDifficulty > totalDifficulty &&
      status.bestNumber - header.number > LONG_SYNC_LIMIT &&
      !this.choice.hasFailed(id);
    if (!this.coordinator.peers().some(isFar)) this.longSync.end();
  }

  /**
   * Below the checkpoint only the long path shows whether a chain contains it. A chain that begins with a snapshot above
   * the checkpoint is past it.
   */
  private isPastCheckpoint(): boolean {
    const { checkpoint } = this.options;
    const { chain } = this.modules;
    if (checkpoint === undefined || chain.isOnBestChain(checkpoint.hash)) return true;
    return checkpoint.number > 0 && checkpoint.number < chain.earliestBlock();
  }

  private latestClaim({ target, claim }: Attempt): PeerStatus {
    return this.modules.network.peer(target.id)?.status ?? claim;
  }

  private logLine(): void {
    const progress = this.progress();
    if (this.attempt !== undefined) this.modules.logger.info(progress, statusLine(progress));
  }
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function mostOf(counts: ReadonlyMap<PeerId, number>): PeerId | undefined {
  let most: [PeerId | undefined, number] = [undefined, 0];
  for (const entry of counts) if (entry[1] > most[1]) most = entry;
  return most[0];
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
