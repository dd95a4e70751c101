import { ChainError, type ChainOptions, SnapshotHistory, SnapshotInstaller } from "@cambium/chain";
import { type SnapshotProgress, TABLES } from "@cambium/chain-store";
import type { NetworkConfig } from "@cambium/config";
import type { Database } from "@cambium/database";
import type { PeerNetwork } from "@cambium/networking";
import { type Clock, equalBytes, type Logger, platformClock, toHex } from "@cambium/primitives";
import { SyncError } from "../errors.js";
import { HeaderVerifier } from "../shared/header-verifier.js";
import { Wakeup } from "../shared/wakeup.js";
import { downloadBlocks } from "./block-download.js";
import { verifyHeaderChain } from "./header-chain.js";
import { SNAPSHOT_OPTIONS, type SnapshotOptions } from "./options.js";
import { SnapshotMeter, type SnapshotProgressReport } from "./progress.js";
import { SnapshotPeers } from "./snapshot-peers.js";
import { StateDownload } from "./state-download.js";
import { snapshotLine } from "./status-line.js";
import { chooseTarget } from "./target.js";

const POLL_INTERVAL = 1_000;
const STATUS_LINE_INTERVAL = 8_000;

export interface SnapshotSyncParts {
  network: PeerNetwork;
  config: NetworkConfig;
  /** Database, into which no chain may import during {@link SnapshotSync.run}. */
  database: Database;
  logger: Logger;
  /** Genesis block, as for `openChain`. */
  genesis?: ChainOptions["genesis"];
  clock?: Clock;
  /** Returns the local time in seconds. */
  now?: () => number;
}

/**
 * Starts a chain from the state of a recent block instead of executing all blocks (`spec/07 §B.7`). Call `run` before
 * the chain is opened for import, and `fillHistory` at any time afterwards, in the background.
 */
export class SnapshotSync {
  private readonly options: SnapshotOptions;
  private readonly clock: Clock;
  private readonly peers: SnapshotPeers;
  private readonly changed: Wakeup;
  private readonly meter: SnapshotMeter;
  /** Time of the last progress of the installation. */
  private lastAdvance = 0;

  constructor(
    private readonly modules: SnapshotSyncParts,
    options: Partial<SnapshotOptions> = {},
  ) {
    this.options = { ...SNAPSHOT_OPTIONS, ...options };
    this.clock = modules.clock ?? platformClock;
    this.peers = new SnapshotPeers(modules.network, this.clock);
    this.changed = new Wakeup(this.clock);
    this.meter = new SnapshotMeter(this.clock, this.options.chunkBytes);
  }

  progress(): SnapshotProgressReport {
    return this.meter.report(this.peers.usable().length);
  }

  /** The progress as one line. */
  text(): string {
    return snapshotLine(this.progress());
  }

  /**
   * Installs a snapshot, or continues an interrupted installation; waits for peers that serve one. "not-needed": the
   * chain is already above genesis. Rejects with the signal's reason, or a {@link ChainError} of the database.
   */
  async run(signal: AbortSignal): Promise<"installed" | "not-needed"> {
    const { database, config, genesis } = this.modules;
    const installer = await SnapshotInstaller.open({ database, network: config, ...(genesis && { genesis }) });
    if (!installer.isPossible) return "not-needed";
    if (installer.progress !== undefined) await this.resume(installer, installer.progress);
    this.advanced();
    return this.reporting<"installed">(async () => {
      for (let isFirst = true; ; isFirst = false) {
        try {
          if (!isFirst || installer.progress === undefined) await this.choose(installer, signal);
          await this.install(installer, signal);
          return "installed";
        } catch (error) {
          signal.throwIfAborted();
          await this.review(error, installer);
        }
        await this.pause(this.options.retryPause, signal);
      }
    });
  }

  /** Whether blocks below a snapshot are missing. */
  get isHistoryMissing(): boolean {
    return new SnapshotHistory(this.modules.database, this.modules.config).next() !== undefined;
  }

  /**
   * Slowly downloads the blocks below a snapshot, down to genesis. Resolves when all are stored. Rejects with
   * {@link ChainError} `HISTORY_MISMATCH` if they do not lead to our genesis, or with the signal's reason.
   */
  async fillHistory(signal: AbortSignal): Promise<void> {
    const { database, config, logger } = this.modules;
    const history = new SnapshotHistory(database, config);
    const total = history.next()?.number;
    if (total === undefined) return;
    return this.reporting(async () => {
      this.meter.begin("history", total + 1);
      for (let next = history.next(); next !== undefined; next = history.next()) {
        this.meter.note(total - next.number, total);
        let pause = this.options.historyPause;
        try {
          await history.add(next.number === 0 ? [] : await downloadBlocks(this.parts, next, 1, signal));
        } catch (error) {
          signal.throwIfAborted();
          this.wait(error);
          pause = this.options.retryPause;
        }
        await this.pause(pause, signal);
      }
      logger.info({}, "All blocks down to genesis are stored");
    });
  }

  private get parts() {
    return { peers: this.peers, network: this.modules.network, config: this.modules.config };
  }

  /** Logs the progress until the work ends. */
  private async reporting<T>(work: () => Promise<T>): Promise<T> {
    const { logger, network } = this.modules;
    const stopListening = network.on(() => this.changed.notify());
    const stopLines = this.clock.every(STATUS_LINE_INTERVAL, () => {
      logger.info({ progress: this.progress() }, this.text());
    });
    try {
      return await work();
    } finally {
      stopLines();
      stopListening();
      this.meter.begin("idle");
    }
  }

  private async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    await new Wakeup(this.clock).wait(milliseconds, signal);
    signal.throwIfAborted();
  }

  private advanced(): void {
    this.lastAdvance = this.clock.now();
  }

  /** Continues an interrupted installation unless it contradicts the options. */
  private async resume(installer: SnapshotInstaller, { checkpoint, headers }: SnapshotProgress): Promise<void> {
    const { checkpoint: trusted } = this.options;
    if (trusted !== undefined) {
      const isOther = checkpoint.number === trusted.number && !equalBytes(checkpoint.hash, trusted.hash);
      // Headers above a block below the trusted one do not lead to the trusted one.
      if (isOther || checkpoint.number < trusted.number) return installer.abandon();
      const isPast = headers.number <= trusted.number && !equalBytes(headers.hash, trusted.hash);
      // Headers were verified past the height of the trusted block, which was not trusted then.
      if (isPast) await installer.noteHeaders(checkpoint.number, checkpoint.hash);
    }
    this.modules.logger.info({ number: checkpoint.number }, "Continuing an interrupted snapshot");
  }

  /** Chooses the snapshot with the peers that connect shortly after the first one. */
  private async choose(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { checkpoint, gathering, patience } = this.options;
    if (this.peers.usable().length === 0) {
      this.meter.begin("choosing");
      this.wait(new SyncError({ code: "SNAPSHOT_UNAVAILABLE", reason: "no peer serves snapshots" }));
      while (this.peers.usable().length === 0) {
        await this.changed.wait(POLL_INTERVAL, signal);
        signal.throwIfAborted();
      }
    }
    await this.pause(gathering, signal);
    const { block, totalDifficulty } = await chooseTarget(this.parts, checkpoint, signal);
    const { progress } = installer;
    const isSame = progress !== undefined && equalBytes(progress.checkpoint.hash, block.hash);
    const isProved = progress !== undefined && progress.headers.number <= (checkpoint?.number ?? 0);
    if (isSame || (isProved && this.clock.now() - this.lastAdvance < patience)) return;
    await installer.begin(block, totalDifficulty);
    this.modules.logger.info({ number: block.number, hash: toHex(block.hash) }, "Starting from a snapshot");
  }

  /** Handles the failure of an attempt if another one may succeed; rethrows other errors. */
  private async review(error: unknown, installer: SnapshotInstaller): Promise<void> {
    const isWrong =
      error instanceof ChainError && (error.code === "HISTORY_MISMATCH" || error.code === "SNAPSHOT_BLOCK");
    if (!isWrong) return this.wait(error);
    this.modules.logger.warn({ reason: error.message }, "The snapshot is invalid; looking for another one");
    await installer.abandon();
  }

  /** Records and logs why the installation waits; rethrows errors for which waiting does not help. */
  private wait(error: unknown): void {
    if (!(error instanceof SyncError) || error.details.code !== "SNAPSHOT_UNAVAILABLE") throw error;
    const { reason } = error.details;
    const isNew = this.meter.waitingFor !== reason;
    this.meter.waitingFor = reason;
    if (isNew) this.modules.logger.warn({}, `Waiting for peers: ${reason}`);
  }

  private async install(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    await this.verifyHeaders(installer, signal);
    await this.fetchState(installer, signal);
    await this.fetchBlocks(installer, signal);
    const { number } = installer.progress!.checkpoint;
    await installer.finish();
    this.modules.logger.info({ number }, "The snapshot is installed");
  }

  private async verifyHeaders(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { checkpoint: anchor } = this.options;
    const { database, config, network } = this.modules;
    const { checkpoint, headers } = installer.progress!;
    const total = checkpoint.number - (anchor?.number ?? 0);
    const verifier = new HeaderVerifier({
      chain: { isKnownInvalid: (hash) => database.get(TABLES.invalidBlocks, hash) !== undefined },
      network: config,
      checkpoint: anchor,
      now: this.modules.now ?? (() => Date.now() / 1000),
    });
    const modules = { peers: this.peers, network, verifier, genesis: installer.genesis };
    this.meter.begin("headers", checkpoint.number);
    this.meter.note(checkpoint.number - headers.number, total);
    const onVerified = async ({ number, hash }: { number: number; hash: Uint8Array }) => {
      await installer.noteHeaders(number, hash);
      this.meter.note(checkpoint.number - number, total);
      this.advanced();
    };
    await verifyHeaderChain(modules, headers, anchor, onVerified, signal);
  }

  private async fetchState(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { chunkBytes, parallelChunks } = this.options;
    const { peers, modules } = this;
    const download = new StateDownload({ peers, network: modules.network, installer, chunkBytes, parallelChunks });
    this.meter.begin("state", installer.progress!.checkpoint.number);
    const note = () => {
      const { position, stateSize } = installer.progress!;
      this.meter.note(position, stateSize);
    };
    note();
    const onStored = () => {
      note();
      this.advanced();
    };
    await download.run(onStored, signal);
  }

  private async fetchBlocks(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { number } = installer.progress!.checkpoint;
    const lowest = Math.max(1, number - this.options.blocksBelow);
    this.meter.begin("blocks", number);
    for (;;) {
      const { earliest } = installer.progress!;
      this.meter.note(number - earliest.number, number - lowest);
      if (earliest.number <= lowest) return;
      await installer.addBlocks(await downloadBlocks(this.parts, installer.nextBlock(), lowest, signal));
      this.advanced();
    }
  }
}
