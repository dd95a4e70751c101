import { type ChainEvent, type KnownExecution, localBlock } from "@cambium/chain";
import { equalBytes, platformClock, type Timers } from "@cambium/primitives";
import { MinerError } from "../errors.js";
import type {
  BlockTemplate,
  BuildRequest,
  EthWork,
  MinerServerApi,
  MiningChain,
  PartialMerkleSubmission,
  SubmittedBlock,
  TemplateBuilder,
  TransactionsSubmission,
  Work,
} from "../interface.js";
import { ethSolution, ethWorkOf } from "../solutions/eth-work.js";
import { solvedBlock } from "../solutions/solved-block.js";
import {
  type Solution,
  solutionOfBlock,
  solutionOfPartialMerkle,
  solutionOfTransactions,
} from "../solutions/submission.js";
import { TimeAdjustment } from "../templates/time-adjustment.js";
import { BuildSchedule, type Purpose } from "./build-schedule.js";
import { chainHashrate, ReportedHashrates } from "./hashrate.js";
import { ACCEPTED, BUILD_TIME, REFUSED, WORK_AGE } from "./measurements.js";
import { SubmissionRate, submissionInterval } from "./submission-rate.js";
import { decodeTemplate } from "./template-encoding.js";
import { type NotifyPolicy, WorkRegistry } from "./work-registry.js";

export interface MinerServerParts {
  chain: MiningChain;
  builder: TemplateBuilder;
  /** Shared with the built-in miner, if there is one. */
  adjustment?: TimeAdjustment;
  /** Whether the node is far behind its peers; imported blocks then trigger no build. */
  isSyncing?: () => boolean;
  /** Current time in milliseconds. */
  now?: () => number;
  timers?: Timers;
  /** Called when a template cannot be built; the previous one is still served. */
  onBuildError?: (error: unknown) => void;
  /** Called with each template when its work is served. */
  onServed?: (template: BlockTemplate) => void;
  /** Called after each solution, with its block or with the {@link MinerError} of its refusal. */
  onSubmission?: (outcome: SubmittedBlock | Error) => void;
}

export interface MinerServerOptions {
  notify?: NotifyPolicy;
  /** Minimum milliseconds between two solutions; by default 10 s on the test network, otherwise 0. */
  submissionInterval?: number;
  /** Milliseconds between two templates on the same block. */
  refreshInterval?: number;
  /**
   * Milliseconds from a new transaction or side-chain block to the build that includes it; later ones share that build.
   */
  buildDelay?: number;
  /**
   * Whether an outdated template is replaced when a client requests work, instead of ahead of requests. For local
   * networks: their blocks follow quickly, and mostly no miner needs a template.
   */
  onRequest?: boolean;
  /** Whether a new best block gets an empty template first, until the one with the pool's transactions is built. */
  emptyFirst?: boolean;
}

const REFRESH_INTERVAL = 60_000;
const BUILD_DELAY = 2000;

/** Serves block templates to merged miners and accepts their solutions (`spec/03 §6` to `§8.5`). */
export class MinerServer implements MinerServerApi {
  private readonly chain: MiningChain;
  private readonly builder: TemplateBuilder;
  private readonly adjustment: TimeAdjustment;
  private readonly now: () => number;
  private readonly timers: Timers;
  private readonly registry: WorkRegistry;
  private readonly reports = new ReportedHashrates();
  /** Execution result of the latest template until a solution is submitted, if templates are built on request. */
  private latest: { template: BlockTemplate; execution: KnownExecution | undefined } | undefined;
  /** Clock shift and time in milliseconds with which each template was built. */
  private readonly builds = new WeakMap<BlockTemplate, { shift: number; at: number }>();
  private readonly rate: SubmissionRate;
  /** Cancel functions for {@link stop}. */
  private ending: (() => void)[] | undefined;
  private readonly schedule: BuildSchedule;
  /** Whether the next request builds a template; used only if templates are built on request. */
  private isOutdated = true;
  private readonly workListeners = new Set<(work: Work) => void>();

  constructor(
    private readonly parts: MinerServerParts,
    private readonly options: MinerServerOptions = {},
  ) {
    this.chain = parts.chain;
    this.builder = parts.builder;
    this.adjustment = parts.adjustment ?? new TimeAdjustment();
    this.now = parts.now ?? Date.now;
    this.timers = parts.timers ?? platformClock;
    this.registry = new WorkRegistry(options.notify);
    this.schedule = new BuildSchedule({
      timers: this.timers,
      build: (purpose, signal) => this.buildAndServe(purpose, signal),
    });
    const interval = options.submissionInterval ?? submissionInterval(parts.chain.network);
    this.rate = new SubmissionRate(interval, this.now);
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
        this.timers.every(this.options.refreshInterval ?? REFRESH_INTERVAL, () => this.renew()),
      ];
      this.renew();
    }
    await this.schedule.building;
  }

  /** Solutions of templates served before are still accepted. */
  stop(): void {
    for (const end of this.ending ?? []) end();
    this.ending = undefined;
    this.schedule.stop();
    this.registry.clearCurrent();
  }

  private onChainEvent({ kind }: ChainEvent): void {
    if (this.buildsOnRequest) this.isOutdated = true;
    else if (kind === "sideBlock") this.buildSoon();
    else if (!this.parts.isSyncing?.()) this.schedule.refreshOnBest();
  }

  async upToDate(): Promise<void> {
    if (this.buildsOnRequest) return this.buildIfOutdated();
    await this.schedule.due;
    if (this.isOnBest() || this.schedule.building === undefined) return;
    let stopListening = () => {};
    const served = new Promise<void>((resolve) => {
      stopListening = this.onWork(() => resolve());
    });
    await Promise.race([served, this.schedule.building]);
    stopListening();
  }

  private async buildIfOutdated(): Promise<void> {
    if (this.isRunning && this.isOutdated) {
      this.isOutdated = false;
      this.schedule.refresh();
    }
    await this.schedule.building;
  }

  private isOnBest(): boolean {
    const parentHash = this.registry.current?.header.parentHash;
    return parentHash !== undefined && equalBytes(parentHash, this.chain.best().hash);
  }

  transactionsChanged(): void {
    this.buildSoon();
  }

  /**
   * Schedules a build for new transactions, or for a side-chain block. The latter may be cited as an uncle and so add
   * to the total difficulty.
   */
  private buildSoon(): void {
    this.isOutdated = true;
    if (this.buildsOnRequest || !this.isRunning || this.parts.isSyncing?.()) return;
    this.schedule.improveAfter(this.options.buildDelay ?? BUILD_DELAY);
  }

  /** Every template may evict one that miners still work on, so only profitable ones are added. */
  private isBetter(template: BlockTemplate): boolean {
    const { current } = this.registry;
    if (current === undefined || this.registry.isWorthNotice(template)) return true;
    if (template.uncles.length > current.uncles.length) return true;
    return current.transactions.length === 1 && template.transactions.length > 1;
  }

  /** Builds a new template, or lets the next request do so. */
  private renew(): void {
    if (this.buildsOnRequest) this.isOutdated = true;
    else this.schedule.refresh();
  }

  /** Listeners expect work without requesting it. */
  private get buildsOnRequest(): boolean {
    return this.options.onRequest === true && this.workListeners.size === 0;
  }

  private async buildAndServe(purpose: Purpose, signal: AbortSignal): Promise<void> {
    const hasEmpty = purpose === "refresh" && this.servesEmpty && (await this.serveEmpty(signal));
    const template = await this.build({}, signal);
    if (template === undefined) return;
    if ((purpose === "refresh" && !hasEmpty) || this.isBetter(template)) this.serve(template);
  }

  private get servesEmpty(): boolean {
    return this.options.emptyFirst === true && !this.buildsOnRequest && !this.isOnBest();
  }

  /** Returns whether work without the pool's transactions is served. */
  private async serveEmpty(signal: AbortSignal): Promise<boolean> {
    const template = await this.build({ transactions: [] }, signal);
    if (template !== undefined) this.serve(template);
    return template !== undefined;
  }

  private serve(template: BlockTemplate): void {
    const work = this.registry.add(template);
    for (const listener of this.workListeners) listener(work);
    this.parts.onServed?.(template);
  }

  /**
   * Builds a template on the best block; undefined if the build fails, or is aborted by a new best block or by
   * {@link stop}.
   */
  private async build(request: BuildRequest, signal: AbortSignal): Promise<BlockTemplate | undefined> {
    if (signal.aborted) return undefined;
    const { total, shift } = this.adjustment;
    const start = performance.now();
    try {
      const parentHash = this.chain.best().hash;
      const built = await this.builder.build({ ...request, parentHash, adjustment: shift }, signal);
      if (signal.aborted) return undefined;
      // The execution keeps a state in memory, and solutions for a public network mostly come too late for it.
      const template = { ...built, execution: undefined };
      if (this.options.onRequest) this.latest = { template, execution: built.execution };
      this.builds.set(template, { shift: total, at: this.now() });
      BUILD_TIME.observe((performance.now() - start) / 1_000);
      return template;
    } catch (error) {
      if (!signal.aborted) this.onBuildError(error);
      return undefined;
    }
  }

  /** Retries only if the current work is not on the best block. */
  private onBuildError(error: unknown): void {
    this.parts.onBuildError?.(error);
    if (!this.isOnBest()) this.buildSoon();
  }

  getWork(): Work {
    const work = this.isRunning ? this.registry.take() : undefined;
    if (work === undefined) throw new MinerError({ code: "NO_WORK" });
    return work;
  }

  onWork(listener: (work: Work) => void): () => void {
    const wasOutdated = this.buildsOnRequest && this.isOutdated;
    const own = (work: Work) => listener(work);
    this.workListeners.add(own);
    if (wasOutdated) void this.buildIfOutdated();
    return () => this.workListeners.delete(own);
  }

  ethWork(): EthWork {
    const template = this.isRunning ? this.registry.current : undefined;
    if (template === undefined) throw new MinerError({ code: "NO_WORK" });
    return ethWorkOf(template);
  }

  remember(encoded: Uint8Array): Uint8Array {
    const template = decodeTemplate(encoded, this.chain.network);
    this.registry.remember(template);
    return template.hashForMergedMining;
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

  private async submit(solution: Solution): Promise<SubmittedBlock> {
    try {
      const submitted = await this.accept(solution);
      (submitted.result.kind.startsWith("imported") ? ACCEPTED : REFUSED).add();
      this.parts.onSubmission?.(submitted);
      return submitted;
    } catch (error) {
      REFUSED.add();
      this.parts.onSubmission?.(error as Error);
      throw error;
    }
  }

  /** Accepts a solution (`spec/03 §7.4`). */
  private async accept(solution: Solution): Promise<SubmittedBlock> {
    this.rate.admit();
    const template = this.registry.find(solution.key);
    if (template === undefined) throw new MinerError({ code: "UNKNOWN_WORK", hashForMergedMining: solution.key });
    const built = this.builds.get(template);
    if (built !== undefined) WORK_AGE.observe((this.now() - built.at) / 1_000);
    const block = solvedBlock(template, solution, this.chain.network);
    const execution = this.latest?.template === template ? this.latest.execution : undefined;
    this.latest = undefined;
    const result = await this.chain.import(localBlock(block, execution));
    if (result.kind === "imported-best") this.adjustment.consume(built?.shift ?? 0);
    return { result, hash: block.hash, number: block.number };
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
