import type { ChainReader, LogLocation } from "@cambium/chain";
import { equalBytes, toQuantity } from "@cambium/primitives";
import type { ApiConfig } from "../config.js";
import { invalidParams, notExecutedHere, RpcError, sizeLimitExceeded } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { TurnTaker } from "../limits/turns.js";
import { requireReceipts } from "../lookups/block-lookup.js";
import { type LogObject, locatedLogObject } from "../objects/log.js";
import type { BlockSelector } from "../params/block-selector.js";
import { blockLogs } from "./block-logs.js";
import type { LogBlocks, LogFilter, LogMatch } from "./log-filter.js";
import { keysOf, LogMatcher } from "./log-matcher.js";

/** Minimum size in bytes of a log object in a response, without data and topics. */
const LOG_OBJECT_BYTES = 350;

/** A range of blocks; both ends are included. */
export interface BlockRange {
  from: number;
  to: number;
}

/** A log query over a range of the best chain, or over the block with a hash: plain data, to be sent to a thread. */
export interface LogRequest {
  blocks: BlockRange | Uint8Array;
  match: LogMatch;
}

/**
 * The request for a filter; undefined if it covers no blocks. Throws {@link RpcError} `INVALID_PARAMS` if the range is
 * invalid, and `LOG_LIMIT` if it is too long.
 */
export function logRequest(
  chain: ChainReader,
  config: ApiConfig,
  { blocks, match }: LogFilter,
): LogRequest | undefined {
  if (blocks.kind === "block") return { blocks: blocks.hash, match };
  const range = allowedRange(chain, config, blocks);
  return range && { blocks: range, match };
}

/**
 * All logs that match a filter, ascending (`spec/09 §9.2`, `§9.3`). Rejects with {@link RpcError} `LOG_LIMIT` or
 * `LIMIT_EXCEEDED` if a configured limit is exceeded, or with the error of `limit`.
 */
export async function searchLogs(
  chain: ChainReader,
  config: ApiConfig,
  { blocks, match }: LogRequest,
  limit: WorkLimit,
): Promise<LogObject[]> {
  if (!(blocks instanceof Uint8Array)) return collectLogs(chain, config, blocks, match, limit);
  const collector = new LogCollector(config, { from: 0, to: 0 });
  for (const log of logsOfBlock(chain, blocks, match)) {
    collector.add(log);
    limit.check();
  }
  return collector.logs;
}

/** The blocks of a range query; undefined if it covers none. Throws the errors of {@link logRequest}. */
export function allowedRange(
  chain: ChainReader,
  config: ApiConfig,
  blocks: Extract<LogBlocks, { kind: "range" }>,
): BlockRange | undefined {
  const range = resolveRange(blocks, chain.best().header.number);
  const { maxBlocks } = config.logs;
  if (range !== undefined && maxBlocks > 0 && range.to - range.from > maxBlocks) {
    throw logLimit(`Cannot query more than ${maxBlocks} blocks at once`);
  }
  const snapshot = chain.snapshotBlock();
  if (range !== undefined && range.from <= snapshot && range.to > 0 && snapshot > 0) throw notExecutedHere(snapshot);
  return range;
}

/** Resolves a range as in the table of `spec/09 §9.2`; undefined if it covers no blocks. */
function resolveRange(blocks: Extract<LogBlocks, { kind: "range" }>, head: number): BlockRange | undefined {
  const lowest = boundNumber(blocks.from, head);
  const highest = boundNumber(blocks.to, head);
  if (lowest > highest && (blocks.to?.kind === "number" || blocks.to?.kind === "earliest")) {
    throw invalidParams("invalid block range");
  }
  if (blocks.from?.kind === "pending" || lowest > head) return undefined;
  return { from: lowest, to: Math.min(highest, head) };
}

function boundNumber(bound: BlockSelector | undefined, head: number): number {
  if (bound?.kind === "number") return bound.number;
  return bound?.kind === "earliest" ? 0 : head;
}

/**
 * Searches a range, checking the deadline and yielding after each block. A reorganisation in between would mix two
 * branches, so the search then starts again. Rejects as {@link searchLogs}.
 */
async function collectLogs(
  chain: ChainReader,
  config: ApiConfig,
  range: BlockRange,
  match: LogMatch,
  limit: WorkLimit,
): Promise<LogObject[]> {
  const turns = new TurnTaker();
  for (;;) {
    const collector = new LogCollector(config, range);
    const tip = chain.hashByNumber(range.to);
    for (const found of chain.logsByBlock({ ...match, fromBlock: range.from, toBlock: range.to })) {
      for (const log of found) collector.add(log);
      limit.check();
      const pause = turns.pause();
      if (pause !== undefined) await pause;
    }
    const tipNow = chain.hashByNumber(range.to);
    if (tip === tipNow || (tip !== undefined && tipNow !== undefined && equalBytes(tip, tipNow))) return collector.logs;
  }
}

/** Matching logs of any known block, on the best chain or not; none if the block is unknown. */
function* logsOfBlock(chain: ChainReader, blockHash: Uint8Array, match: LogMatch): Iterable<LogLocation> {
  const block = chain.blockByHash(blockHash);
  if (block === undefined) return;
  const matcher = new LogMatcher(match);
  for (const located of blockLogs(block, requireReceipts(chain, blockHash)))
    if (matcher.matches(keysOf(located.log))) yield located;
}

/**
 * Collects the logs of a response within the limits (`spec/09 §9.3`): a cap on their number, except for short ranges.
 */
class LogCollector {
  readonly logs: LogObject[] = [];
  private readonly cap: number;
  private bytes = 0;

  constructor(
    private readonly config: ApiConfig,
    private readonly range: BlockRange,
  ) {
    const { maxLogs, unlimitedRange } = config.logs;
    this.cap = range.to - range.from > unlimitedRange ? maxLogs : Number.POSITIVE_INFINITY;
  }

  add(located: LogLocation): void {
    if (this.logs.length === this.cap) throw this.tooMany(located.blockNumber);
    const { maxResponseSize } = this.config;
    this.bytes += LOG_OBJECT_BYTES + 2 * located.log.data.length + 68 * located.log.topics.length;
    if (maxResponseSize > 0 && this.bytes > maxResponseSize) throw sizeLimitExceeded(maxResponseSize);
    this.logs.push(locatedLogObject(located));
  }

  private tooMany(blockNumber: number): RpcError {
    const { maxLogs, unlimitedRange } = this.config.logs;
    const to = Math.min(this.range.to, Math.max(blockNumber - 1, this.range.from + unlimitedRange));
    const works = `[${toQuantity(this.range.from)}, ${toQuantity(to)}]`;
    return logLimit(
      `Log response size exceeded: query returned more than ${maxLogs} results. Use a block range of up to ` +
        `${unlimitedRange} blocks for an unlimited response. This block range should work: ${works}`,
    );
  }
}

function logLimit(text: string): RpcError {
  return new RpcError({ code: "LOG_LIMIT", text });
}
