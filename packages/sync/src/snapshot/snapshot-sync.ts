import {
  ChainError,
  type ChainOptions,
  type Database,
  openSnapshotInstaller,
  SnapshotHistory,
  type SnapshotInstaller,
  TABLES,
} from "@cambium/chain";
import type { NetworkConfig } from "@cambium/config";
import type { PeerNetwork } from "@cambium/networking";
import { type Clock, platformClock } from "../engine/clock.js";
import { HeaderVerifier } from "../engine/header-verifier.js";
import { Wakeup } from "../engine/wakeup.js";
import { SyncError } from "../errors.js";
import { downloadBlocks } from "./block-download.js";
import { verifyHeaderChain } from "./header-chain.js";
import { SNAPSHOT_OPTIONS, type SnapshotOptions } from "./options.js";
import { SnapshotPeers } from "./snapshot-peers.js";
import { StateDownload } from "./state-download.js";
import { chooseTarget } from "./target.js";

/** Targets that may prove wrong before the node gives up and executes everything itself. */
const ATTEMPTS = 5;
const LOOK_AGAIN = 1_000;

export interface SnapshotSyncModules {
  network: PeerNetwork;
  config: NetworkConfig;
  /** No chain imports into it while {@link SnapshotSync.run} is under way. */
  database: Database;
  /** As `openChain`. */
  genesis?: ChainOptions["genesis"];
  clock?: Clock;
  /** Local time in seconds. */
  now?: () => number;
}

/** What is being done, and how much of it is. */
export type SnapshotSyncProgress =
  | { step: "idle" | "choosing" }
  /** In headers. */
  | { step: "headers"; done: number; total: number }
  /** In bytes of the state. */
  | { step: "state"; done: number; total: number }
  /** In blocks. */
  | { step: "blocks" | "history"; done: number; total: number };

/**
 * Begins a chain with the state of a recent block instead of executing everything (`spec/07 §B.7`). `run` before the
 * chain is opened for import; `fillHistory` at any time after, beside everything else.
 */
export class SnapshotSync {
  private readonly options: SnapshotOptions;
  private readonly clock: Clock;
  private readonly peers: SnapshotPeers;
  private readonly changed: Wakeup;
  private current: SnapshotSyncProgress = { step: "idle" };

  constructor(
    private readonly modules: SnapshotSyncModules,
    options: Partial<SnapshotOptions> = {},
  ) {
    this.options = { ...SNAPSHOT_OPTIONS, ...options };
    this.clock = modules.clock ?? platformClock;
    this.peers = new SnapshotPeers(modules.network, this.clock);
    this.changed = new Wakeup(this.clock);
  }

  get progress(): SnapshotSyncProgress {
    return this.current;
  }

  /**
   * Installs a snapshot where that is possible and worth it, or goes on with an installation that was interrupted.
   * "not-needed": the chain is beyond genesis already, or nobody is far ahead, or nobody has a snapshot that proves
   * right; the database is as it was. Rejects with the signal's reason, or a {@link ChainError} of the database.
   */
  async run(signal: AbortSignal): Promise<"installed" | "not-needed"> {
    const { database, config, genesis } = this.modules;
    const installer = await openSnapshotInstaller({ database, network: config, ...(genesis && { genesis }) });
    if (!installer.isPossible) return "not-needed";
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (installer.progress === undefined && !(await this.begin(installer, signal))) break;
      if (await this.install(installer, signal)) return this.finish("installed");
      await installer.abandon();
    }
    return this.finish("not-needed");
  }

  /**
   * Fetches the blocks below a snapshot, down to genesis, slowly. Resolves when all are there. Rejects with
   * {@link ChainError} `HISTORY_MISMATCH` when they do not lead to our genesis, or with the signal's reason.
   */
  async fillHistory(signal: AbortSignal): Promise<void> {
    const { database, config } = this.modules;
    const history = new SnapshotHistory(database, config);
    const total = history.next()?.number ?? 0;
    for (let next = history.next(); next !== undefined; next = history.next()) {
      this.current = { step: "history", done: total - next.number, total };
      try {
        await history.add(next.number === 0 ? [] : await downloadBlocks(this.parts, next, 1, signal));
      } catch (error) {
        if (!(error instanceof SyncError) || error.code !== "SNAPSHOT_UNAVAILABLE") throw error;
      }
      await this.changed.wait(this.options.historyPause, signal);
      signal.throwIfAborted();
    }
    this.current = { step: "idle" };
  }

  private get parts() {
    return { peers: this.peers, network: this.modules.network, config: this.modules.config };
  }

  private finish<T>(result: T): T {
    this.current = { step: "idle" };
    return result;
  }

  /** Waits for peers and settles what to install; false when there is nothing. */
  private async begin(installer: SnapshotInstaller, signal: AbortSignal): Promise<boolean> {
    this.current = { step: "choosing" };
    if (!(await this.isWorthIt(signal))) return false;
    try {
      const target = await chooseTarget(this.parts, this.options.checkpoint, signal);
      if (target === undefined) return false;
      await installer.begin(target.block, target.totalDifficulty);
      return true;
    } catch (error) {
      if (isUnavailable(error) || (error instanceof ChainError && error.code === "SNAPSHOT_BLOCK")) return false;
      throw error;
    }
  }

  /** Whether somebody with snapshots is far ahead; the others get a moment to say who they are. */
  private async isWorthIt(signal: AbortSignal): Promise<boolean> {
    const end = this.clock.now() + this.options.patience;
    while (this.peers.usable().length === 0 && this.clock.now() < end) {
      await this.changed.wait(Math.min(LOOK_AGAIN, this.options.patience), signal);
      signal.throwIfAborted();
    }
    await this.changed.wait(this.options.gathering, signal);
    signal.throwIfAborted();
    return this.peers.usable().some(({ status }) => status.bestNumber > this.options.minimumDistance);
  }

  /** False when the target cannot be had, or is not what was claimed. */
  private async install(installer: SnapshotInstaller, signal: AbortSignal): Promise<boolean> {
    try {
      await this.verifyHeaders(installer, signal);
      await this.fetchState(installer, signal);
      await this.fetchBlocks(installer, signal);
      await installer.finish();
      return true;
    } catch (error) {
      const isWrong = error instanceof ChainError && error.code === "HISTORY_MISMATCH";
      if (isWrong || isUnavailable(error)) return false;
      throw error;
    }
  }

  private async verifyHeaders(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { checkpoint: trusted } = this.options;
    const { database, config, network } = this.modules;
    const { checkpoint, headers } = installer.progress!;
    // An older block than the trusted one proves nothing by what it stands on.
    const anchor = trusted !== undefined && trusted.number <= checkpoint.number ? trusted : undefined;
    const total = checkpoint.number - (anchor?.number ?? 0);
    const verifier = new HeaderVerifier({
      chain: { isKnownInvalid: (hash) => database.get(TABLES.invalidBlocks, hash) !== undefined },
      network: config,
      checkpoint: trusted,
      now: this.modules.now ?? (() => Date.now() / 1000),
    });
    const modules = { peers: this.peers, network, verifier, genesis: installer.genesis };
    this.current = { step: "headers", done: checkpoint.number - headers.number, total };
    const onVerified = async ({ number, hash }: { number: number; hash: Uint8Array }) => {
      await installer.noteHeaders(number, hash);
      this.current = { step: "headers", done: checkpoint.number - number, total };
    };
    await verifyHeaderChain(modules, headers, anchor, onVerified, signal);
  }

  private async fetchState(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { chunkBytes, parallelChunks } = this.options;
    const { peers, modules } = this;
    const download = new StateDownload({ peers, network: modules.network, installer, chunkBytes, parallelChunks });
    const note = () => {
      const { position, stateSize } = installer.progress!;
      this.current = { step: "state", done: position, total: stateSize };
    };
    note();
    await download.run(note, signal);
  }

  private async fetchBlocks(installer: SnapshotInstaller, signal: AbortSignal): Promise<void> {
    const { number } = installer.progress!.checkpoint;
    const lowest = Math.max(1, number - this.options.blocksBelow);
    for (;;) {
      const { earliest } = installer.progress!;
      this.current = { step: "blocks", done: number - earliest.number, total: number - lowest };
      if (earliest.number <= lowest) return;
      await installer.addBlocks(await downloadBlocks(this.parts, installer.nextBlock(), lowest, signal));
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof SyncError && error.code === "SNAPSHOT_UNAVAILABLE";
}
