import { localBlock } from "@cambium/chain";
import { canonicalParentHeader, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { platformClock, type Timers } from "@cambium/primitives";
import { MinerError } from "./errors.js";
import type {
  BlockTemplate,
  ClearablePool,
  LocalMinerApi,
  LocalMiningMode,
  PendingTransactionSource,
  RewindableChain,
  SubmittedBlock,
  TemplateBuilder,
} from "./interface.js";
import { searchNonce } from "./nonce-search.js";
import { solvedBlock } from "./solved-block.js";
import { solutionOfCoinbase } from "./submission.js";
import { TimeAdjustment } from "./time-adjustment.js";

export interface LocalMinerModules {
  chain: RewindableChain;
  builder: TemplateBuilder;
  pool: Pick<PendingTransactionSource, "ordered"> & ClearablePool;
  /** Shared with the miner server, if there is one. */
  adjustment?: TimeAdjustment;
  timers?: Timers;
  /** Called when a block that no caller awaits cannot be mined. */
  onMiningError?: (error: unknown) => void;
}

/** Mines the blocks of a local network, with parent blocks that contain only a coinbase (`spec/03 §8.1` to `§8.3`). */
export class LocalMiner implements LocalMinerApi {
  private readonly adjustment: TimeAdjustment;
  private readonly timers: Timers;
  /** Heights by snapshot id, which starts at 1. */
  private readonly snapshots: number[] = [];
  /** Serialises mining and reverting. */
  private turn: Promise<unknown> = Promise.resolve();
  private ending: (() => void) | undefined;
  private isIntervalBusy = false;

  constructor(
    private readonly modules: LocalMinerModules,
    readonly mode: LocalMiningMode,
  ) {
    this.adjustment = modules.adjustment ?? new TimeAdjustment();
    this.timers = modules.timers ?? platformClock;
  }

  get isMining(): boolean {
    return this.ending !== undefined;
  }

  startMining(): void {
    if (this.ending !== undefined) return;
    const { mode } = this;
    if (mode.kind === "interval") this.ending = this.timers.every(mode.interval, () => this.onInterval());
    else this.ending = () => undefined;
    this.transactionsChanged();
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
    if (this.mode.kind !== "automatic" || !this.isMining) return;
    void this.unattended(
      this.inTurn(async () => {
        // An earlier block may already contain the transactions.
        if (this.modules.pool.ordered().length > 0) await this.mineNow();
      }),
    );
  }

  private unattended(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: unknown) => this.modules.onMiningError?.(error));
  }

  async idle(): Promise<void> {
    await this.turn;
  }

  mine(): Promise<SubmittedBlock> {
    return this.inTurn(() => this.mineNow());
  }

  increaseTime(seconds: number): number {
    return this.adjustment.increase(seconds);
  }

  private inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.turn.then(action);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async mineNow(): Promise<SubmittedBlock> {
    const { chain, builder } = this.modules;
    const adjustment = this.adjustment.total;
    const block = await this.solve(await builder.build({ adjustment }));
    const result = await chain.import(localBlock(block));
    if (result.kind !== "imported-best" && result.kind !== "imported-side") {
      const reason = result.kind === "invalid" ? result.fault.code : result.kind;
      throw new MinerError({ code: "NOT_MINED", result: reason });
    }
    this.adjustment.consume(adjustment);
    return { result, hash: block.hash, number: block.number };
  }

  private async solve(template: BlockTemplate) {
    const coinbase = taggedCoinbase(template.hashForMergedMining);
    // The parent header carries the block's own timestamp, which satisfies RSKIP-179.
    const time = Number(BigInt.asUintN(32, template.header.timestamp));
    const unsolved = canonicalParentHeader(transactionId(coinbase), time, 0);
    const header = await searchNonce(unsolved, template.target);
    return solvedBlock(template, solutionOfCoinbase(header, coinbase), this.modules.chain.network);
  }

  snapshot(): number {
    return this.snapshots.push(this.modules.chain.best().header.number);
  }

  revert(id: number): Promise<boolean> {
    return this.inTurn(async () => {
      const height = this.snapshots[id - 1];
      if (height === undefined) return false;
      // The snapshot itself can be reverted to again.
      this.snapshots.length = id;
      if (height < this.modules.chain.best().header.number) await this.rewind(height);
      return true;
    });
  }

  reset(): Promise<void> {
    return this.inTurn(async () => {
      this.snapshots.length = 0;
      await this.rewind(0);
    });
  }

  private async rewind(height: number): Promise<void> {
    const { chain, pool } = this.modules;
    const hash = chain.hashByNumber(height);
    if (hash !== undefined) await chain.rewind(hash);
    pool.clear();
  }
}
