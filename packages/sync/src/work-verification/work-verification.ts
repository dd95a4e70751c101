import { ChainError, readTrust, trustText, type VerifiedWork } from "@cambium/chain-store";
import { type NetworkConfig, UNCLE_GENERATION_LIMIT, type WorkCheckpoint } from "@cambium/config";
import type { Database } from "@cambium/database";
import type { PeerId, PeerNetwork } from "@cambium/networking";
import { type Clock, equalBytes, type Logger, platformClock } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import { duration, rounded } from "../shared/figures.js";
import { HeaderVerifier } from "../shared/header-verifier.js";
import { SpeedMeter } from "../shared/speed-meter.js";
import { Wakeup } from "../shared/wakeup.js";
import { BadAnswer, SnapshotPeers } from "../snapshot/snapshot-peers.js";
import { verifiedRun } from "./header-run.js";
import { weightOf } from "./header-weight.js";
import { WorkStore } from "./work-store.js";

/** Number of headers in one answer (`spec/07 §D.4`). */
const ANSWER_HEADERS = 192;

/** Options of the verification of work. */
export interface WorkOptions {
  /** Milliseconds between two requests, and between two checks while the node downloads new blocks. */
  pause: number;
  busyPause: number;
  /** Milliseconds until peers are asked again for data that none of them had. */
  retryPause: number;
  /** Milliseconds between two log lines. */
  lineInterval: number;
}

const WORK_OPTIONS: WorkOptions = {
  pause: 1_000,
  busyPause: 10_000,
  retryPause: 30_000,
  lineInterval: 300_000,
};

export interface WorkVerificationParts {
  network: PeerNetwork;
  config: NetworkConfig;
  /** Database, possibly that of an importing chain, which does not write the same entries. */
  database: Database;
  logger: Logger;
  /** Whether the node downloads new blocks, which have priority. */
  isBusy: () => boolean;
  clock?: Clock;
  /** Returns the local time in seconds. */
  now?: () => number;
}

/**
 * Verifies the work of the headers below a snapshot, slowly and in the background, down to genesis or to the trusted
 * block of the network. Only what the next step needs is stored.
 */
export class WorkVerification {
  private readonly options: WorkOptions;
  private readonly clock: Clock;
  private readonly peers: SnapshotPeers;
  private readonly store: WorkStore;
  private readonly verifier: HeaderVerifier;
  private readonly speed: SpeedMeter;
  private waitingFor: string | undefined;

  constructor(
    private readonly modules: WorkVerificationParts,
    options: Partial<WorkOptions> = {},
  ) {
    const { network, config, database, clock = platformClock, now = () => Date.now() / 1000 } = modules;
    this.options = { ...WORK_OPTIONS, ...options };
    this.clock = clock;
    this.peers = new SnapshotPeers(network, clock, () => true);
    this.store = new WorkStore(database, config);
    this.speed = new SpeedMeter(clock);
    this.verifier = new HeaderVerifier({ chain: this.store, network: config, checkpoint: undefined, now });
  }

  /**
   * Resolves when nothing remains to be verified. Rejects with {@link ChainError} `HISTORY_MISMATCH` if the chain does
   * not lead to the trusted block, with errors of the database, or with the signal's reason.
   */
  async run(signal: AbortSignal): Promise<void> {
    let work = this.store.read();
    this.logTrust();
    if (work === undefined) return;
    const end = this.store.endBelow(work.number);
    const stopLines = this.clock.every(this.options.lineInterval, () => this.logProgress(work!, end));
    try {
      while (!work.isComplete) {
        work = await this.advance(work, end, signal);
        await this.pause(work.isComplete ? 0 : this.nextPause(), signal);
      }
    } finally {
      stopLines();
    }
    this.logTrust();
  }

  /** Verifies one answer, and stores the result; without an answer, nothing changes. */
  private async advance(work: VerifiedWork, end: WorkCheckpoint, signal: AbortSignal): Promise<VerifiedWork> {
    try {
      const headers = await this.fetch(work, end, signal);
      const next = this.weigh(work, end, headers);
      await this.store.write(next);
      this.speed.count(work.number - next.number);
      this.waitingFor = undefined;
      return next;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SyncError) || error.details.code !== "SNAPSHOT_UNAVAILABLE") throw error;
      this.wait(error.details.reason);
      return work;
    }
  }

  /** Returns verified headers, ascending up to the lowest known one. */
  private async fetch(known: VerifiedWork, end: WorkCheckpoint, signal: AbortSignal): Promise<BlockHeader[]> {
    const lowest = Math.max(end.number - UNCLE_GENERATION_LIMIT + 1, 1);
    const count = Math.min(ANSWER_HEADERS, known.number - lowest + 1);
    const work = async (peer: PeerId, scope: AbortSignal) => {
      const headers = await this.modules.network.headers(peer, known.hash, count, scope);
      if (headers.length > count) throw new BadAnswer("INVALID_MESSAGE", "more headers than requested");
      // An honest peer has all headers down to genesis.
      if (headers.length < count) this.peers.noteSlow(peer);
      const run = await verifiedRun(headers, known, { verifier: this.verifier, genesis: this.store.genesis }, scope);
      const reached = reachedBy(run, end);
      if (reached >= known.number && reached > end.number) throw new BadAnswer("INVALID_MESSAGE", "too few headers");
      return run;
    };
    const { answer } = await this.peers.ask(
      { kind: "headers", what: `header ${known.number}`, cost: count, work },
      signal,
    );
    return answer;
  }

  /** Moves down to the lowest header that can be weighed. Throws {@link ChainError} `HISTORY_MISMATCH`. */
  private weigh(known: VerifiedWork, end: WorkCheckpoint, headers: readonly BlockHeader[]): VerifiedWork {
    const number = reachedBy(headers, end);
    const weight = weightOf(headers, number + 1, this.modules.config);
    const most = known.most - weight.least;
    const least = known.least > weight.most ? known.least - weight.most : 0n;
    const first = headers[0]!.number;
    const hash = headers[number - first]?.hash ?? headers[0]!.parentHash;
    const isComplete = number === end.number;
    const isOther = isComplete && (!equalBytes(hash, end.hash) || least > end.totalDifficulty);
    if (isOther || most < end.totalDifficulty) {
      throw new ChainError({
        code: "HISTORY_MISMATCH",
        number: end.number,
        hash: isComplete ? { expected: end.hash, actual: hash } : undefined,
        totalDifficulty: { expected: end.totalDifficulty, least, most },
      });
    }
    return { number, hash, least, most, isComplete };
  }

  private nextPause(): number {
    if (this.waitingFor !== undefined) return this.options.retryPause;
    return this.modules.isBusy() ? this.options.busyPause : this.options.pause;
  }

  private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Wakeup(this.clock).wait(milliseconds, signal);
    signal.throwIfAborted();
  }

  private wait(reason: string): void {
    const isNew = this.waitingFor !== reason;
    this.waitingFor = reason;
    if (isNew) this.modules.logger.warn({}, `The verification of work waits for peers: ${reason}`);
  }

  private logTrust(): void {
    const { database, logger } = this.modules;
    logger.info({}, `This node rests on: ${trustText(readTrust(database))}`);
  }

  private logProgress({ number }: VerifiedWork, end: WorkCheckpoint): void {
    const { perSecond } = this.speed;
    const left = perSecond > 0 ? `, ${duration((number - end.number) / perSecond)} left` : "";
    const text = `Verified the work of headers down to ${number}, to end at ${end.number}`;
    this.modules.logger.info({}, `${text}: ${rounded(perSecond)}/s${left}`);
  }
}

/** Returns the number of the lowest header whose children can be weighed: uncles may descend from the headers below. */
function reachedBy([lowest]: readonly BlockHeader[], end: WorkCheckpoint): number {
  const { number } = lowest!;
  return Math.max(end.number, number <= 1 ? 0 : number + UNCLE_GENERATION_LIMIT - 1);
}
