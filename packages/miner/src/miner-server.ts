import type { ChainEvent } from "@cambium/chain";
import { equalBytes, platformClock, type Timers } from "@cambium/primitives";
import { MinerError } from "./errors.js";
import { ethSolution, ethWorkOf } from "./eth-work.js";
import { chainHashrate, ReportedHashrates } from "./hashrate.js";
import type {
  BlockTemplate,
  EthWork,
  MinerServerApi,
  MiningChain,
  PartialMerkleSubmission,
  SubmittedBlock,
  TemplateBuilder,
  TransactionsSubmission,
  Work,
} from "./interface.js";
import { solvedBlock } from "./solved-block.js";
import { type Solution, solutionOfBlock, solutionOfPartialMerkle, solutionOfTransactions } from "./submission.js";
import { TimeAdjustment } from "./time-adjustment.js";
import { type NotifyPolicy, WorkRegistry } from "./work-registry.js";

export interface MinerServerModules {
  chain: MiningChain;
  builder: TemplateBuilder;
  /** Shared with the built-in miner, where there is one. */
  adjustment?: TimeAdjustment;
  /** Whether the node is far behind its peers: then blocks that arrive do not make it build. */
  isSyncing?: () => boolean;
  /** Local time in milliseconds. */
  now?: () => number;
  timers?: Timers;
  /** Told why no new work could be built; the old one stays. */
  onBuildError?: (error: unknown) => void;
}

export interface MinerServerOptions {
  notify?: NotifyPolicy;
  /** Least milliseconds between two solutions; by default 10 s on the test network, otherwise none. */
  submissionInterval?: number;
  /** Milliseconds between two templates on the same block. */
  refreshInterval?: number;
  /** Milliseconds by which new transactions and side blocks wait for others before a template is built for them. */
  buildDelay?: number;
}

const TEST_CHAIN = 31;
const TEST_SUBMISSION_INTERVAL = 10_000;
const REFRESH_INTERVAL = 60_000;
const BUILD_DELAY = 2000;

/** A refresh is the new work in any case, an improvement only if it pays. */
type Purpose = "refresh" | "improvement";

/** Gives out work to merged miners and takes their solutions (`spec/03 §6` to `§8.5`). */
export class MinerServer implements MinerServerApi {
  private readonly chain: MiningChain;
  private readonly builder: TemplateBuilder;
  private readonly adjustment: TimeAdjustment;
  private readonly now: () => number;
  private readonly timers: Timers;
  private readonly registry: WorkRegistry;
  private readonly reports = new ReportedHashrates();
  /** Shift of the clock that a template was built with. */
  private readonly shifts = new WeakMap<BlockTemplate, number>();
  private readonly submissionInterval: number;
  private lastSubmission = 0;
  /** What {@link stop} has to end. */
  private ending: (() => void)[] | undefined;
  private waitingBuild: (() => void) | undefined;
  private isBuildDue = false;
  /** What to build next. */
  private wanted: Purpose | undefined;
  /** Resolves when nothing is left to build. */
  private building: Promise<void> | undefined;
  /** Aborts the build under way. */
  private underWay: AbortController | undefined;

  constructor(
    private readonly modules: MinerServerModules,
    private readonly options: MinerServerOptions = {},
  ) {
    this.chain = modules.chain;
    this.builder = modules.builder;
    this.adjustment = modules.adjustment ?? new TimeAdjustment();
    this.now = modules.now ?? Date.now;
    this.timers = modules.timers ?? platformClock;
    this.registry = new WorkRegistry(options.notify);
    const standard = modules.chain.network.chainId === TEST_CHAIN ? TEST_SUBMISSION_INTERVAL : 0;
    this.submissionInterval = options.submissionInterval ?? standard;
  }

  get isRunning(): boolean {
    return this.ending !== undefined;
  }

  get rewardAddress(): Uint8Array {
    return this.builder.rewardAddress;
  }

  async start(): Promise<void> {
    if (this.ending === undefined) {
      this.ending = [
        this.chain.on((event) => this.onChainEvent(event)),
        this.timers.every(this.options.refreshInterval ?? REFRESH_INTERVAL, () => this.refresh()),
      ];
      this.refresh();
    }
    await this.building;
  }

  /** Work given out before can still be solved. */
  stop(): void {
    for (const end of this.ending ?? []) end();
    this.ending = undefined;
    this.wanted = undefined;
    this.underWay?.abort();
    this.cancelWaiting();
    this.registry.clearCurrent();
  }

  private onChainEvent({ kind }: ChainEvent): void {
    if (kind === "sideBlock") this.buildSoon();
    else this.buildOnBest();
  }

  /** Once after all listeners have received the block, the pool among them, and once for blocks that come together. */
  private buildOnBest(): void {
    if (this.isBuildDue || this.modules.isSyncing?.()) return;
    this.isBuildDue = true;
    this.underWay?.abort();
    setImmediate(() => {
      this.isBuildDue = false;
      if (this.isRunning) this.refresh();
    });
  }

  transactionsChanged(): void {
    this.buildSoon();
  }

  /** For new transactions, and for side blocks, which may be cited as uncles and so add to the chain's difficulty. */
  private buildSoon(): void {
    if (!this.isRunning || this.waitingBuild !== undefined || this.modules.isSyncing?.()) return;
    this.waitingBuild = this.timers.after(this.options.buildDelay ?? BUILD_DELAY, () => {
      this.waitingBuild = undefined;
      this.request("improvement");
    });
  }

  /** Only what pays may push earlier templates out of the registry, where miners' solutions look for them. */
  private isBetter(template: BlockTemplate): boolean {
    const { current } = this.registry;
    if (current === undefined || this.registry.isWorthNotice(template)) return true;
    if (template.uncles.length > current.uncles.length) return true;
    return current.transactions.length === 1 && template.transactions.length > 1;
  }

  /** New work on the best block. */
  private refresh(): void {
    this.cancelWaiting();
    this.request("refresh");
  }

  private cancelWaiting(): void {
    this.waitingBuild?.();
    this.waitingBuild = undefined;
  }

  /** Has a template built, after the one under way if there is one; requests until then share it. */
  private request(purpose: Purpose): void {
    if (this.wanted !== "refresh") this.wanted = purpose;
    this.building ??= this.buildWanted();
  }

  /** Never rejects. */
  private async buildWanted(): Promise<void> {
    while (this.wanted !== undefined) {
      const purpose = this.wanted;
      this.wanted = undefined;
      const template = await this.build();
      if (template !== undefined && (purpose === "refresh" || this.isBetter(template))) this.registry.add(template);
    }
    this.building = undefined;
  }

  /** A template on the best block; undefined if it failed, or if another block or the end came before it was done. */
  private async build(): Promise<BlockTemplate | undefined> {
    const controller = new AbortController();
    this.underWay = controller;
    const { signal } = controller;
    const adjustment = this.adjustment.total;
    try {
      const parentHash = this.chain.best().hash;
      const template = await this.builder.build({ parentHash, adjustment }, signal);
      if (signal.aborted) return undefined;
      this.shifts.set(template, adjustment);
      return template;
    } catch (error) {
      if (!signal.aborted) this.onBuildError(error);
      return undefined;
    } finally {
      this.underWay = undefined;
    }
  }

  /** Work on the best block stays; if there is none, another attempt follows. */
  private onBuildError(error: unknown): void {
    this.modules.onBuildError?.(error);
    const current = this.registry.current?.header.parentHash;
    if (current === undefined || !equalBytes(current, this.chain.best().hash)) this.buildSoon();
  }

  getWork(): Work {
    const work = this.isRunning ? this.registry.take() : undefined;
    if (work === undefined) throw new MinerError({ code: "NO_WORK" });
    return work;
  }

  ethWork(): EthWork {
    const template = this.isRunning ? this.registry.current : undefined;
    if (template === undefined) throw new MinerError({ code: "NO_WORK" });
    return ethWorkOf(template);
  }

  async submitBlock(block: Uint8Array): Promise<SubmittedBlock> {
    return this.submit(solutionOfBlock(block));
  }

  async submitTransactions(submission: TransactionsSubmission): Promise<SubmittedBlock> {
    return this.submit(solutionOfTransactions(submission));
  }

  async submitPartialMerkle(submission: PartialMerkleSubmission): Promise<SubmittedBlock> {
    return this.submit(solutionOfPartialMerkle(submission));
  }

  async ethSubmit(nonce: Uint8Array, headerHash: Uint8Array, mixDigest: Uint8Array): Promise<boolean> {
    const solution = ethSolution(nonce, headerHash, mixDigest);
    if (solution === undefined || this.registry.find(headerHash) === undefined) return false;
    try {
      const { result } = await this.submit(solution);
      return result.kind === "imported-best" || result.kind === "imported-side";
    } catch (error) {
      if (error instanceof MinerError && error.code === "INVALID_PROOF") return false;
      throw error;
    }
  }

  /** `spec/03 §7.4`. */
  private async submit(solution: Solution): Promise<SubmittedBlock> {
    this.checkRate();
    const template = this.registry.find(solution.key);
    if (template === undefined) throw new MinerError({ code: "UNKNOWN_WORK", hashForMergedMining: solution.key });
    const block = solvedBlock(template, solution, this.chain.network);
    const result = await this.chain.import(block);
    if (result.kind === "imported-best") this.adjustment.consume(this.shifts.get(template) ?? 0);
    return { result, hash: block.hash, number: block.number };
  }

  /** An attempt that is let through counts even if it fails later. */
  private checkRate(): void {
    if (this.submissionInterval <= 0) return;
    const now = this.now();
    if (now - this.lastSubmission < this.submissionInterval) throw new MinerError({ code: "RATE_LIMITED" });
    this.lastSubmission = now;
  }

  submitHashrate(rate: bigint, id: Uint8Array): void {
    this.reports.add(rate, id, this.now());
  }

  hashrate(): bigint {
    const now = this.now();
    const isOwn = ({ coinbase }: { coinbase: Uint8Array }) => equalBytes(coinbase, this.rewardAddress);
    return this.reports.total(now) ?? chainHashrate(this.chain, Math.floor(now / 1000), isOwn);
  }

  netHashrate(): bigint {
    return chainHashrate(this.chain, Math.floor(this.now() / 1000), () => true);
  }
}
