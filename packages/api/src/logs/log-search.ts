import type { ChainReader, LogLocation } from "@cambium/chain";
import { equalBytes, toQuantity } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { invalidParams, notExecutedHere, notStoredHere, RpcError, serverError, sizeLimitExceeded } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { TurnTaker } from "../limits/turns.js";
import { requireReceipts } from "../lookups/block-lookup.js";
import { type LogObject, locatedLogObject, logObjectBytes } from "../objects/log.js";
import type { BlockSelector } from "../params/block-selector.js";
import { blockLogs } from "./block-logs.js";
import type { LogBlocks, LogFilter, LogMatch } from "./log-filter.js";
import { keysOf, LogMatcher } from "./log-matcher.js";

/** Upper bound of a response's bytes around its result. */
const ENVELOPE_BYTES = 1_200;

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
  const block = blockOf(chain, config, blocks);
  if (block === undefined) return [];
  const collector = new LogCollector(config, block.header.number);
  for (const log of logsOfBlock(chain, block, match)) {
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
  if (range === undefined || range.to === 0) return range;
  const snapshot = chain.snapshotBlock();
  if (range.from <= snapshot && snapshot > 0) throw notExecutedHere(snapshot);
  const oldest = chain.earliestBlock();
  const first = Math.max(range.from, 1);
  if (first < oldest) throw notStoredHere(first, oldest);
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
    const collector = new LogCollector(config, range.from);
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

/**
 * Returns any known block, on the best chain or not. An unknown block is an error, since an empty list would mean that
 * it has no logs (EIP-234). The deployed client answers an empty list.
 */
function blockOf(chain: ChainReader, config: ApiConfig, hash: Uint8Array): Block | undefined {
  const block = chain.blockByHash(hash);
  if (block === undefined && !isDeployed(config)) throw serverError("unknown block");
  return block;
}

function* logsOfBlock(chain: ChainReader, block: Block, match: LogMatch): Iterable<LogLocation> {
  const matcher = new LogMatcher(match);
  for (const located of blockLogs(block, requireReceipts(chain, block.hash)))
    if (matcher.matches(keysOf(located.log))) yield located;
}

/**
 * Collects the logs of a response within the limits (`spec/09 §9.3`): bytes, and a number that applies beyond a short
 * range. If possible, the error names a range within both limits.
 */
class LogCollector {
  readonly logs: LogObject[] = [];
  private bytes = ENVELOPE_BYTES;

  /** `from`: the first block of the range. */
  constructor(
    private readonly config: ApiConfig,
    private readonly from: number,
  ) {}

  add(located: LogLocation): void {
    const { blockNumber } = located;
    const { maxResponseSize, logs } = this.config;
    if (this.logs.length >= logs.maxLogs && blockNumber > this.from + logs.unlimitedRange) {
      throw this.tooMany(blockNumber);
    }
    const object = locatedLogObject(located);
    this.bytes += logObjectBytes(object);
    if (maxResponseSize > 0 && this.bytes > maxResponseSize) throw this.tooLarge(blockNumber);
    this.logs.push(object);
  }

  private tooMany(blockNumber: number): RpcError {
    const { maxLogs, unlimitedRange } = this.config.logs;
    return logLimit(
      `Log response size exceeded: query returned more than ${maxLogs} results. Use a block range of up to ` +
        `${unlimitedRange} blocks for an unlimited response. ${this.proposal(blockNumber)}`,
    );
  }

  private tooLarge(blockNumber: number): RpcError {
    const { maxResponseSize } = this.config;
    if (blockNumber === this.from) return sizeLimitExceeded(maxResponseSize);
    return logLimit(
      `Log response size exceeded: the logs take more than ${maxResponseSize} bytes. ${this.proposal(blockNumber)}`,
    );
  }

  /** Proposes the blocks before the one that exceeded a limit, in words that indexers look for. */
  private proposal(blockNumber: number): string {
    return `This block range should work: [${toQuantity(this.from)}, ${toQuantity(blockNumber - 1)}]`;
  }
}

function logLimit(text: string): RpcError {
  return new RpcError({ code: "LOG_LIMIT", text });
}
