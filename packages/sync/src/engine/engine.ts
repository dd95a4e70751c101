import { NetworkingError, type Peer, type PeerId, type PeerNetwork } from "@cambium/networking";
import { type Clock, type Logger, messageOf, platformClock, toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { Checkpoint, SyncChain, SyncProgress, SyncStatus } from "../interface.js";
import { HeaderVerifier } from "../shared/header-verifier.js";
import { SpeedMeter } from "../shared/speed-meter.js";
import { Wakeup } from "../shared/wakeup.js";
import { Attempt } from "./attempt.js";
import { WINDOW_LIMITS, type WindowLimits } from "./body-download.js";
import { CatchUp } from "./catch-up.js";
import { LONG_SYNC_LIMIT, LongSync } from "./long-sync.js";
import { PeerChoice } from "./peer-choice.js";
import { PeerCoordinator } from "./peer-coordinator.js";
import { SHORT_GAP } from "./short-path.js";
import { statusLine, synchronisedLine } from "./status-line.js";
import { SyncPaths } from "./sync-paths.js";

/** Number of blocks behind at which gossip is ignored (`spec/07 §B.5`, "better block to sync"). */
const FAR_BEHIND = 24;
/** Milliseconds without progress after which an attempt no longer suppresses gossip. */
const STANDSTILL = 5_000;
/** Number of blocks that gossip usually delivers within `GRACE` milliseconds, without a request. */
const SMALL_GAP = 8;
const GRACE = 500;
/** Milliseconds between two checks of the peers without an event. */
const IDLE = 10_000;
const STATUS_LINE_INTERVAL = 8_000;
/** Maximum number of short paths in progress. */
const MAX_SHORT_PATHS = 8;

export interface SyncEngineParts {
  chain: SyncChain;
  network: PeerNetwork;
  logger: Logger;
  clock?: Clock;
  /** Returns the local time in seconds. */
  now?: () => number;
}

export interface SyncEngineOptions {
  checkpoint?: Checkpoint;
  /** Limits on blocks that wait for import. */
  window?: WindowLimits;
}

/**
 * Synchronises the chain with the best peers, and keeps it synchronised if gossip does not (`spec/07 §D.7`). It works
 * in attempts: choose a peer that claims more work than ours, find the common block, download headers and bodies,
 * import. Regardless of the outcome, another attempt follows as long as a peer claims more work.
 */
export class SyncEngine {
  private readonly clock: Clock;
  private readonly wake: Wakeup;
  private readonly coordinator: PeerCoordinator;
  private readonly choice: PeerChoice;
  private readonly paths: SyncPaths;
  private readonly longSync: LongSync;
  private readonly speed: SpeedMeter;
  private readonly gas: SpeedMeter;
  private readonly changed: Wakeup;
  /** Short paths by the hash of the requested block. */
  private readonly shortPaths = new Map<string, Promise<void>>();
  private attempt: Attempt | undefined;
  /** The attempts since a peer was found to be ahead. */
  private catchUp: CatchUp | undefined;
  private running: { controller: AbortController; done: Promise<void>; end: () => void } | undefined;

  constructor(
    private readonly parts: SyncEngineParts,
    private readonly options: SyncEngineOptions = {},
  ) {
    const { network, clock = platformClock } = parts;
    this.clock = clock;
    this.wake = new Wakeup(clock);
    this.changed = new Wakeup(clock);
    this.coordinator = new PeerCoordinator({ network, clock, changed: this.changed });
    this.choice = new PeerChoice(clock, () => this.bestNumber + 1);
    this.longSync = new LongSync(() => this.bestNumber);
    this.speed = new SpeedMeter(clock);
    this.gas = new SpeedMeter(clock);
    this.paths = this.createPaths();
  }

  start(): void {
    if (this.running !== undefined) return;
    const controller = new AbortController();
    const stopListening = this.parts.network.on(() => {
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
    const peers = this.parts.network.peers().length;
    if (attempt === undefined) {
      const phase = peers > 0 ? "following" : "waiting";
      const speed = { blocksPerSecond: 0, mgasPerSecond: 0 };
      return { phase, current, target: current, ...speed, peers, timeLeft: undefined, from: undefined };
    }
    const target = this.likelyTarget(attempt);
    const blocksPerSecond = this.speed.perSecond;
    const timeLeft = blocksPerSecond > 0 ? (target - current) / blocksPerSecond : undefined;
    return {
      phase: attempt.phase,
      current,
      target,
      blocksPerSecond,
      mgasPerSecond: this.gas.perSecond / 1e6,
      peers,
      timeLeft,
      from: attempt.mainSource,
    };
  }

  /** Returns the result of `eth_syncing`: false unless a long synchronisation is in progress. */
  status(): SyncStatus {
    return this.longSync.status;
  }

  /**
   * Notifies of the start (its status) and end (false) of each long synchronisation. Returns a function that removes
   * the listener.
   */
  onChange(listener: (status: SyncStatus) => void): () => void {
    return this.longSync.onChange(listener);
  }

  /**
   * Whether verified headers are so far ahead that gossip is ignored (`spec/07 §D.8`). False without progress: a peer
   * that withholds blocks must not suppress the gossip of others.
   */
  isFarBehind(): boolean {
    const { attempt } = this;
    if (attempt === undefined || !attempt.isLong || attempt.verified < this.bestNumber + FAR_BEHIND) return false;
    return attempt.standstill < STANDSTILL;
  }

  /** Whether blocks that a peer claims to have are being downloaded, few or many. */
  isCatchingUp(): boolean {
    return this.attempt !== undefined || this.longSync.status !== false;
  }

  /**
   * Fetches a block and its missing ancestors from the peer that sent it, if they are near. Never throws; the chain
   * shows the outcome.
   */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void {
    const { running } = this;
    const key = toHex(hash);
    if (running === undefined || this.isFarBehind() || this.shortPaths.has(key)) return;
    if (this.parts.chain.isKnownInvalid(hash) || !this.coordinator.isUsable(peer)) return;
    this.wake.notify();
    const isNear = Math.abs(number - this.bestNumber) <= SHORT_GAP;
    if (!isNear || !this.paths.isPastCheckpoint() || this.shortPaths.size >= MAX_SHORT_PATHS) return;
    const path = this.paths
      .short(peer, { hash, number }, running.controller.signal)
      .catch((error: unknown) => {
        this.parts.logger.debug({ peer, number, reason: messageOf(error) }, "Failed to fetch ancestors");
      })
      .finally(() => {
        this.shortPaths.delete(key);
        this.wake.notify();
      });
    this.shortPaths.set(key, path);
  }

  private createPaths(): SyncPaths {
    const { clock, changed, coordinator, choice } = this;
    const { chain, network, logger, now = () => Date.now() / 1000 } = this.parts;
    const { checkpoint, window = WINDOW_LIMITS } = this.options;
    return new SyncPaths({
      chain,
      network,
      logger,
      clock,
      coordinator,
      choice,
      verifier: new HeaderVerifier({ chain, network: chain.network, checkpoint, now }),
      changed,
      checkpoint,
      window,
      preferred: () => this.chosen(),
      onVerified: (attempt) => this.noteLongSync(attempt),
      onImported: (header) => this.noteImported(header),
    });
  }

  private get bestNumber(): number {
    return this.parts.chain.best().header.number;
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
    const { totalDifficulty } = this.parts.chain.best();
    const ahead = this.coordinator.peers().filter(({ status }) => status.totalDifficulty > totalDifficulty);
    const quick = this.coordinator.slow.quickOf(ahead, ({ id }) => id);
    return this.choice.best(quick, totalDifficulty) ?? this.choice.best(ahead, totalDifficulty);
  }

  /** Whether the node is behind after gossip had a moment to deliver the last few blocks. */
  private async isReallyBehind(signal: AbortSignal): Promise<boolean> {
    const target = this.chosen();
    if (target === undefined) return false;
    if (target.status.bestNumber - this.bestNumber > SMALL_GAP || this.bestNumber === 0) return true;
    await new Wakeup(this.clock).wait(GRACE, signal);
    return !signal.aborted;
  }

  private async idle(signal: AbortSignal): Promise<void> {
    this.reviewLongSync();
    this.reviewCatchUp();
    const retryIn = this.choice.retryIn(this.coordinator.peers(), this.parts.chain.best().totalDifficulty);
    await this.wake.wait(Math.min(IDLE, Math.max(retryIn ?? IDLE, 50)), signal);
  }

  private async tryOnce(target: Peer, signal: AbortSignal): Promise<void> {
    const { chain, network, logger } = this.parts;
    const attempt = new Attempt(target, network, this.clock);
    this.attempt = attempt;
    this.speed.restart();
    this.gas.restart();
    this.catchUp ??= new CatchUp(this.clock.now());
    try {
      const isComplete = await this.paths.follow(attempt, signal);
      if (isComplete && chain.best().totalDifficulty < attempt.claim.totalDifficulty) {
        network.report(target.id, "UNEXPECTED_MESSAGE", "its chain has less work than it claims");
        throw new SyncError({ code: "CLAIM_NOT_MET", peer: target.id });
      }
      this.choice.succeeded(target.id);
    } catch (error) {
      if (signal.aborted) return;
      const leaders = attempt.leaders();
      for (const id of leaders.length > 0 ? leaders : [target.id]) this.choice.failed(id, attempt.hasProgress);
      const isOurs = !(error instanceof SyncError || error instanceof NetworkingError);
      const data = { peer: target.id, reason: messageOf(error) };
      if (isOurs) logger.warn(data, "Synchronisation failed");
      else logger.debug(data, "Synchronisation attempt ended");
    } finally {
      this.attempt = undefined;
      this.reviewLongSync();
    }
  }

  private noteLongSync(attempt: Attempt): void {
    this.longSync.lower(this.likelyTarget(attempt));
    if (!attempt.isLong || attempt.verified - this.bestNumber <= LONG_SYNC_LIMIT) return;
    this.longSync.start(this.likelyTarget(attempt));
  }

  /** Returns the median claim of the peers that are ahead: a single claim may be any number. */
  private likelyTarget({ verified }: Attempt): number {
    const ahead = this.coordinator.peers().map(({ status }) => status.bestNumber);
    const claims = ahead.filter((number) => number > this.bestNumber).sort((a, b) => a - b);
    return Math.max(this.bestNumber, verified, claims[Math.floor((claims.length - 1) / 2)] ?? 0);
  }

  /**
   * Ends the long synchronisation unless a peer without failures that this node has dialled, or half of all peers, are
   * still far ahead. Inbound peers could otherwise prolong it forever with false claims, one after the other.
   */
  private reviewLongSync(): void {
    const { totalDifficulty, header } = this.parts.chain.best();
    const isFar = ({ id, status }: Peer) =>
      status.totalDifficulty > totalDifficulty &&
      status.bestNumber - header.number > LONG_SYNC_LIMIT &&
      !this.choice.hasFailed(id);
    const peers = this.coordinator.peers();
    const far = peers.filter(isFar);
    const isBelieved = far.some(({ direction }) => direction === "outbound") || far.length > peers.length / 2;
    if (!isBelieved) this.longSync.end();
  }

  private noteImported({ gasUsed }: BlockHeader): void {
    this.speed.count();
    this.gas.count(gasUsed);
    this.catchUp?.count(gasUsed);
  }

  /**
   * Logs the end of a synchronisation: no peer claims more work, although peers whose attempts failed may be tried
   * again.
   */
  private reviewCatchUp(): void {
    const { totalDifficulty, header } = this.parts.chain.best();
    const peers = this.coordinator.peers();
    const isBehind = peers.some(({ status }) => status.totalDifficulty > totalDifficulty);
    if (this.catchUp === undefined || isBehind || peers.length === 0) return;
    const summary = this.catchUp.summary(this.clock.now());
    this.catchUp = undefined;
    if (summary.blocks > SMALL_GAP) this.parts.logger.info({ summary }, synchronisedLine(header.number, summary));
  }

  private logLine(): void {
    const progress = this.progress();
    if (this.attempt !== undefined) this.parts.logger.info({ progress }, statusLine(progress));
  }
}
