import { type Logger, pause } from "@cambium/primitives";
import { FeedError } from "./errors.js";
import { missingMethod, type NodeClient, RpcFailure } from "./node-client.js";
import { poolRow } from "./pool-row.js";
import { Progress } from "./progress.js";
import { type BlockRows, blockRows } from "./rows.js";
import type { BlockTable } from "./schema.js";
import type { Position, Sink } from "./sink.js";

export interface FeedOptions {
  tables: readonly BlockTable[];
  /** Whether `pool_events` is fed. */
  withPool: boolean;
  /** Number of the first block for a destination without blocks. */
  fromBlock: number;
  /** Last block, after which the feed ends. */
  toBlock: number | undefined;
  /** Blocks that must follow a block before it is passed on. */
  confirmations: number;
  /** Number of blocks that are requested at a time. */
  requests: number;
  /** Milliseconds between two queries for a new block. */
  pollInterval: number;
}

/** Milliseconds until a failed attempt is repeated. */
const RETRY_WAIT = 1_000;
/** Maximum number of pool transactions per query. */
const MAX_POOL_EVENTS = 1_000;
/** Number of pool transactions per request. */
const POOL_BATCH = 50;

/**
 * Copies blocks from a node to a destination. The destination knows the position, so a feed that was killed continues
 * where it stopped. Blocks that leave the best chain are retracted.
 */
export class Feed {
  private readonly progress: Progress;
  private genesis = "";
  private chainId = 0;
  private poolFilter: string | undefined;
  /** Blocks after the position that are not written yet, with their size in bytes. The destination's limits apply. */
  private waiting: BlockRows[] = [];
  private bytes = 0;

  constructor(
    private readonly node: NodeClient,
    private readonly sink: Sink,
    private readonly options: FeedOptions,
    private readonly logger: Logger,
  ) {
    this.progress = new Progress(logger);
  }

  /** Resolves when the signal aborts, or after the last block. Rejects with {@link FeedError}. */
  async run(signal: AbortSignal): Promise<void> {
    await this.identify();
    while (!signal.aborted) {
      try {
        const { chainId, genesis } = this;
        this.forgetWaiting();
        const position = await this.sink.open({ chainId, genesis, tables: this.options.tables });
        this.logger.info({ ...position }, startLine(position, this.options.fromBlock));
        await this.follow(position, signal);
        this.progress.end();
        return;
      } catch (error) {
        if (error instanceof FeedError) throw error;
        if (signal.aborted) return;
        this.logger.warn({ reason: (error as Error).message }, "The feed was interrupted, trying again");
        await pause(RETRY_WAIT, signal);
      }
    }
  }

  /** Sends the first request. If the node does not answer it, the address is wrong. */
  private async identify(): Promise<void> {
    try {
      this.chainId = await this.node.chainId();
      const genesis = await this.node.blockAt(0);
      if (genesis === undefined) throw new Error("it has no block 0");
      this.genesis = genesis.hash;
      if (this.options.tables.includes("internal_calls")) await this.node.call("trace_block", "0x0");
    } catch (error) {
      if (error instanceof RpcFailure && error.isMethodMissing) throw missingMethod(error.method);
      if (error instanceof FeedError) throw error;
      throw new FeedError({ code: "NODE", url: this.node.url, reason: (error as Error).message });
    }
  }

  private async follow(start: Position | undefined, signal: AbortSignal): Promise<void> {
    const { confirmations, toBlock = Number.MAX_SAFE_INTEGER, fromBlock, pollInterval } = this.options;
    let position = start;
    while (!signal.aborted) {
      const head = await this.node.head();
      position = await this.withoutAbandoned(position, head);
      const read = this.lastRead(position)?.number ?? fromBlock - 1;
      if (read >= toBlock) break;
      const last = Math.min(head.number - confirmations, toBlock);
      if (last <= read) this.progress.waits(read + 1, confirmations, head.number);
      position = await this.copy(position, read + 1, last, head.number, signal);
      if (this.options.withPool) await this.copyPool();
      if ((this.lastRead(position)?.number ?? -1) >= last && !signal.aborted) {
        if (last === toBlock) break;
        await pause(pollInterval, signal);
      }
    }
  }

  /** Returns the last block that was read, whether or not it is written. */
  private lastRead(position: Position | undefined): Position | undefined {
    return this.waiting.at(-1) ?? position;
  }

  private forgetWaiting(): void {
    [this.waiting, this.bytes] = [[], 0];
  }

  /** Forgets and retracts blocks that are not on the best chain. Waits for a node that is behind the destination. */
  private async withoutAbandoned(position: Position | undefined, head: Position): Promise<Position | undefined> {
    const read = this.waiting.at(-1);
    if (read !== undefined && (await this.node.blockAt(read.number))?.hash !== read.hash) this.forgetWaiting();
    if (position === undefined) return undefined;
    let number = Math.min(position.number, head.number);
    let own = await this.sink.hashAt(number);
    while (own !== undefined && (await this.node.blockAt(number))?.hash !== own) {
      number--;
      own = number < 0 ? undefined : await this.sink.hashAt(number);
    }
    if (number === Math.min(position.number, head.number)) {
      if (number < position.number) this.logger.debug({ head: head.number }, "The node is behind the feed");
      return position;
    }
    const ancestor = own === undefined ? undefined : { number, hash: own };
    const count = position.number - number;
    this.logger.info(
      { from: position.number, to: ancestor?.number },
      `Retracting ${count} block${count === 1 ? "" : "s"} that left the best chain`,
    );
    await this.sink.retract(ancestor?.number);
    return ancestor;
  }

  /** Copies a range of blocks; ends early if the chain changes. Returns the new position. */
  private async copy(
    start: Position | undefined,
    first: number,
    last: number,
    head: number,
    signal: AbortSignal,
  ): Promise<Position | undefined> {
    const { limits } = this.sink;
    let position = start;
    const flush = async () => {
      const block = this.waiting.at(-1);
      if (block === undefined) return;
      await this.sink.write(this.waiting);
      this.progress.fed(this.waiting, head);
      position = { number: block.number, hash: block.hash };
      this.forgetWaiting();
    };
    for await (const block of this.blocks(first, last)) {
      if (signal.aborted) break;
      const parent = this.lastRead(position);
      if (block === undefined || (parent !== undefined && block.parentHash !== parent.hash)) return position;
      this.waiting.push(block);
      this.bytes += block.bytes;
      if (this.waiting.length >= limits.blocks || this.bytes >= limits.bytes) await flush();
    }
    const isComplete = last === this.options.toBlock && !signal.aborted;
    if (limits.isEager || isComplete) await flush();
    return position;
  }

  /** Yields the rows of blocks in order; requests some blocks in advance. */
  private async *blocks(first: number, last: number): AsyncGenerator<BlockRows | undefined> {
    const requested: Promise<BlockRows | undefined>[] = [];
    try {
      for (let number = first, next = first; number <= last; number++) {
        for (; next <= last && next < number + this.options.requests; next++) {
          const request = this.rowsAt(next);
          request.catch(() => undefined); // It is awaited in its turn, if at all.
          requested.push(request);
        }
        yield await requested.shift()!;
      }
    } finally {
      await Promise.allSettled(requested);
    }
  }

  private async rowsAt(number: number): Promise<BlockRows | undefined> {
    const { tables } = this.options;
    const content = await this.node.content(number, tables.includes("internal_calls"));
    if (content !== undefined) return blockRows(content, tables);
    const head = await this.node.head();
    if (head.number >= number && (await this.node.blockAt(number)) === undefined) {
      throw new FeedError({ code: "HISTORY_MISSING", number, reason: `its best block is ${head.number}` });
    }
    return undefined;
  }

  /** Copies the transactions that the pool received since the last look. */
  private async copyPool(): Promise<void> {
    const { node } = this;
    try {
      this.poolFilter ??= await node.call("eth_newPendingTransactionFilter");
      const hashes: string[] = await node.call("eth_getFilterChanges", this.poolFilter);
      const seenAt = Math.floor(Date.now() / 1000);
      for (let i = 0; i < Math.min(hashes.length, MAX_POOL_EVENTS); i += POOL_BATCH) {
        const part = hashes.slice(i, i + POOL_BATCH);
        const found = await node.batch(part.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] })));
        await this.sink.writePool(found.map((transaction, j) => poolRow(seenAt, part[j]!, transaction)));
      }
    } catch (error) {
      if (error instanceof FeedError) throw error;
      if (error instanceof RpcFailure && error.isMethodMissing) throw missingMethod(error.method);
      this.poolFilter = undefined;
      this.logger.warn({ reason: (error as Error).message }, "Cannot read the pool's transactions, trying again");
    }
  }
}

function startLine(position: Position | undefined, fromBlock: number): string {
  if (position === undefined) return `Feeding from block ${fromBlock} on`;
  return `Feeding from block ${position.number + 1} on, after those that are there`;
}
