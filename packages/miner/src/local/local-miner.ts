import { localBlock } from "@cambium/chain";
import { MAX_INT64, MIN_GAS_LIMIT } from "@cambium/config";
import type { StateEdit } from "@cambium/contracts";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { platformClock, type Timers } from "@cambium/primitives";
import type { Transaction } from "@cambium/types";
import { MinerError } from "../errors.js";
import type {
  BlockTemplate,
  BuildRequest,
  ClearablePool,
  LocalMinerApi,
  LocalMiningMode,
  MiningOrder,
  PendingTransactionSource,
  RewindableChain,
  SubmittedBlock,
  TemplateBuilder,
} from "../interface.js";
import { searchNonce } from "../solutions/nonce-search.js";
import { solvedBlock } from "../solutions/solved-block.js";
import { solutionOfCoinbase } from "../solutions/submission.js";
import { type ClockState, NextBlocks } from "../templates/next-blocks.js";
import { TimeAdjustment } from "../templates/time-adjustment.js";
import { editBatches, editTransactions } from "./state-edits.js";

export interface LocalMinerParts {
  chain: RewindableChain;
  builder: TemplateBuilder;
  pool: Pick<PendingTransactionSource, "ordered"> & ClearablePool;
  /** Shared with the miner server, if there is one. */
  adjustment?: TimeAdjustment;
  timers?: Timers;
  /** Current time in milliseconds. */
  now?: () => number;
  /**
   * Gas limit of a fork's blocks from the first local one on. Undefined: it moves gradually from the forked block's
   * limit.
   */
  forkGasLimit?: bigint | undefined;
  /** Called when a block that no caller awaits cannot be mined. */
  onMiningError?: (error: unknown) => void;
}

interface Snapshot {
  height: number;
  clock: ClockState;
}

/** Mines the blocks of a local network, with parent blocks that contain only a coinbase (`spec/03 §8.1` to `§8.3`). */
export class LocalMiner implements LocalMinerApi {
  private readonly adjustment: TimeAdjustment;
  private readonly timers: Timers;
  /** Snapshots by id, which starts at 1. */
  private readonly snapshots: Snapshot[] = [];
  /** Serialises mining and reverting. */
  private turn: Promise<unknown> = Promise.resolve();
  private ending: (() => void) | undefined;
  private isIntervalBusy = false;
  private isAutomatic: boolean;
  /** Milliseconds between two blocks; 0: no interval. */
  private interval: number;
  readonly next: NextBlocks;

  constructor(
    private readonly parts: LocalMinerParts,
    mode: LocalMiningMode,
  ) {
    const { chain, adjustment = new TimeAdjustment(), timers = platformClock, now = Date.now } = parts;
    this.adjustment = adjustment;
    this.timers = timers;
    this.isAutomatic = mode.kind === "automatic";
    this.interval = mode.kind === "interval" ? mode.interval : 0;
    this.next = new NextBlocks(adjustment, () => chain.best().header.timestamp, now);
  }

  get mode(): LocalMiningMode {
    if (this.isAutomatic) return { kind: "automatic" };
    return this.interval > 0 ? { kind: "interval", interval: this.interval } : { kind: "on-demand" };
  }

  get isMining(): boolean {
    return this.ending !== undefined;
  }

  startMining(): void {
    if (this.ending !== undefined) return;
    const { interval } = this;
    this.ending = interval > 0 ? this.timers.every(interval, () => this.onInterval()) : () => undefined;
    this.transactionsChanged();
  }

  setAutomatic(isAutomatic: boolean): void {
    this.isAutomatic = isAutomatic;
    this.restart();
  }

  setInterval(milliseconds: number): void {
    this.interval = milliseconds;
    this.restart();
  }

  private restart(): void {
    this.stopMining();
    if (this.mode.kind !== "on-demand") this.startMining();
  }

  /** Mines the first block of a fork with the configured gas limit, which may be hundreds of regular blocks away. */
  begin(): Promise<void> {
    return this.inTurn(() => this.reachForkGasLimit());
  }

  private async reachForkGasLimit(): Promise<void> {
    const { chain, forkGasLimit } = this.parts;
    const { number, gasLimitValue } = chain.best().header;
    if (number !== chain.network.fork?.number || forkGasLimit === undefined || forkGasLimit === gasLimitValue) return;
    await this.mineAside([], forkGasLimit);
  }

  stopMining(): void {
    this.ending?.();
    this.ending = undefined;
  }

  /** Skips intervals while a block is still being mined, so that no queue builds up. */
  private onInterval(): void {
    if (this.isIntervalBusy) return;
    this.isIntervalBusy = true;
    this.unattended(this.mine()).finally(() => {
      this.isIntervalBusy = false;
    });
  }

  transactionsChanged(): void {
    if (!this.isAutomatic || !this.isMining) return;
    void this.unattended(this.inTurn(() => this.mineAll()));
  }

  /** Mines until no pending transaction fits into a block; an earlier block may already contain all. */
  private async mineAll(): Promise<void> {
    const { pool } = this.parts;
    for (let pending = pool.ordered().length; pending > 0 && this.isAutomatic; ) {
      await this.mineNow();
      const left = pool.ordered().length;
      if (left >= pending) return;
      pending = left;
    }
  }

  private unattended(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: unknown) => this.parts.onMiningError?.(error));
  }

  async idle(): Promise<void> {
    await this.turn;
  }

  mine(): Promise<SubmittedBlock> {
    return this.inTurn(() => this.mineNow());
  }

  mineBlocks({ count, interval, isAbandoned }: MiningOrder): Promise<void> {
    return this.inTurn(async () => {
      for (let mined = 0; mined < count && isAbandoned?.() !== true; mined++) {
        const isFollowing = interval !== undefined && mined > 0;
        if (isFollowing) this.next.setTimestamp(this.parts.chain.best().header.timestamp + BigInt(interval));
        await this.mineNow();
      }
    });
  }

  async setGasLimit(limit: bigint): Promise<void> {
    const [lowest, highest] = [MIN_GAS_LIMIT, MAX_INT64];
    if (limit < lowest || limit > highest) throw new MinerError({ code: "GAS_LIMIT", limit, lowest, highest });
    await this.inTurn(async () => {
      this.next.gasLimit = limit;
      await this.mineAside([]);
    });
  }

  setMinimumGasPrice(price: bigint): Promise<void> {
    return this.inTurn(async () => {
      this.next.minimumGasPrice = price;
      await this.mineAside([]);
    });
  }

  increaseTime(seconds: number): number {
    // Blocks in quick succession may be ahead of the clock.
    if (seconds > 0) this.next.catchUp();
    return this.adjustment.increase(seconds);
  }

  private inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.turn.then(action);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async mineNow(transactions?: readonly Transaction[]): Promise<SubmittedBlock> {
    const { total } = this.adjustment;
    const { request } = this.next;
    const result = await this.importNew({ ...request, ...(transactions === undefined ? {} : { transactions }) });
    this.next.mined(request.chosen, total);
    return result;
  }

  /**
   * Mines a block that meets the targets for its gas limit and minimum gas price. It has its parent's timestamp if the
   * rules allow it: the clock does not move.
   */
  private mineAside(
    transactions: readonly Transaction[],
    gasLimitTarget = this.next.chosen.gasLimitTarget,
  ): Promise<SubmittedBlock> {
    const { timestamp } = this.parts.chain.best().header;
    const { validPeriod } = this.parts.chain.network.consensus;
    const ofParent = validPeriod === 0 ? { timestamp } : {};
    const minimumGasPriceTarget = this.minimumGasPrice();
    const chosen = { gasLimitTarget, minimumGasPriceTarget, hasFreeSteps: true, ...ofParent };
    return this.importNew({ chosen, transactions });
  }

  /** Returns the minimum gas price that is set, or the one of the best block. */
  private minimumGasPrice(): bigint {
    return this.next.minimumGasPrice ?? this.parts.chain.best().header.minimumGasPriceValue;
  }

  editState(edits: readonly StateEdit[]): Promise<void> {
    return this.inTurn(async () => {
      for (const batch of editBatches(edits)) await this.mineEdits(batch);
    });
  }

  private async mineEdits(edits: readonly (readonly StateEdit[])[]): Promise<void> {
    const { chain } = this.parts;
    const state = chain.stateAfter(chain.best().hash)!;
    const transactions = editTransactions(edits, state, this.minimumGasPrice(), chain.network.chainId);
    const { hash, number } = await this.mineAside(transactions);
    const succeeded = (chain.receipts(hash) ?? []).filter(({ status }) => status === 1).length;
    // The reward transaction has a receipt too.
    if (succeeded < transactions.length + 1) throw new MinerError({ code: "NOT_EDITED", number });
  }

  private async importNew(request: BuildRequest): Promise<SubmittedBlock> {
    const { chain, builder } = this.parts;
    const template = await builder.build(request);
    const block = await this.solve(template);
    const result = await chain.import(localBlock(block, template.execution));
    // Another node may have mined the same block in the same second.
    const isMined = result.kind === "already-known" && chain.isOnBestChain(block.hash);
    if (!isMined && result.kind !== "imported-best" && result.kind !== "imported-side") {
      const reason = result.kind === "invalid" ? result.fault.code : result.kind;
      throw new MinerError({ code: "NOT_MINED", result: reason });
    }
    return { result, hash: block.hash, number: block.number };
  }

  private async solve(template: BlockTemplate) {
    const coinbase = taggedCoinbase(template.hashForMergedMining);
    // The parent header carries the block's own timestamp, which satisfies RSKIP-179.
    const time = Number(BigInt.asUintN(32, template.header.timestamp));
    const unsolved = canonicalParentHeader(transactionId(coinbase), time, 0);
    const header = await searchNonce(unsolved, template.target);
    return solvedBlock(template, solutionOfCoinbase(header, coinbase), this.parts.chain.network);
  }

  snapshot(): number {
    const { chain } = this.parts;
    const height = chain.best().header.number;
    chain.prepareRewind?.();
    return this.snapshots.push({ height, clock: this.next.clockState() });
  }

  revert(id: number, isKept = false): Promise<boolean> {
    return this.inTurn(async () => {
      const snapshot = this.snapshots[id - 1];
      if (snapshot === undefined) return false;
      this.snapshots.length = isKept ? id : id - 1;
      const { height, clock } = snapshot;
      this.next.restoreClock(clock);
      if (height < this.parts.chain.best().header.number) await this.rewind(height);
      return true;
    });
  }

  rollback(depth: number, replacements: readonly (readonly Transaction[])[] = []): Promise<void> {
    return this.inTurn(async () => {
      const { number, timestamp } = this.parts.chain.best().header;
      if (depth > number - this.firstBlock)
        throw new MinerError({ code: "DEPTH", depth, height: number - this.firstBlock });
      const height = number - depth;
      const first = this.snapshots.findIndex((snapshot) => snapshot.height > height);
      if (first >= 0) this.snapshots.length = first;
      await this.rewind(height);
      // Within the same second, an equal new block would be identical to the removed one.
      if (replacements.length > 0 && this.next.time <= timestamp) this.next.setTimestamp(timestamp + 1n);
      for (const transactions of replacements) await this.mineNow(transactions);
    });
  }

  reset(): Promise<void> {
    return this.inTurn(async () => {
      this.snapshots.length = 0;
      this.next.clear();
      await this.rewind(this.firstBlock);
      await this.reachForkGasLimit();
    });
  }

  /** Number of the genesis block, or of the block where a fork begins. */
  private get firstBlock(): number {
    return this.parts.chain.network.fork?.number ?? 0;
  }

  private async rewind(height: number): Promise<void> {
    const { chain, pool } = this.parts;
    const hash = chain.hashByNumber(height);
    if (hash !== undefined) await chain.rewind(hash);
    pool.clear();
  }
}
