import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { RpcConfig } from "../config.js";
import { stateNotFound } from "../errors.js";
import type { WorkLimit } from "../limits.js";
import type { LogMatch } from "../logs/log-filter.js";
import { type BlockRange, collectLogs, type LogRequest } from "../logs/log-search.js";
import { JsonText } from "../requests/json-text.js";
import { collectTraces, type TraceFilterRequest } from "../tracing/trace-search.js";

/** Blocks of a search for logs, which is a part of `whole`. */
export interface LogPiece extends BlockRange {
  match: LogMatch;
  whole: BlockRange;
  /** Hash of the last block of the whole, which all pieces must have on their best chain. */
  tip: Uint8Array;
}

/** A part of a search: plain data, as is what it is a part of. A piece is never cut again. */
export type Piece = { task: "logPiece"; request: LogPiece } | { task: "tracePiece"; request: TraceFilterRequest };

/** What a search in pieces needs of the result of each. */
export interface PieceResult {
  /** Number of logs or traces. */
  count: number;
  /** Bytes that count against the limit of the whole search. */
  bytes: number;
  /** The logs or traces as JSON, separated by commas. */
  items: string;
}

/**
 * The logs of a piece, with what the limits of the whole search need to know. Rejects with {@link RpcError}: `STATE_NOT_FOUND` if the best chain is
 * another one.
 */
export async function searchLogPiece(
  chain: ChainReader,
  config: RpcConfig,
  { from, to, match, whole, tip }: LogPiece,
  limit: WorkLimit,
): Promise<JsonText> {
  requireTip(chain, whole, tip);
  const { logs, bytes } = await collectLogs(chain, config, { from, to }, match, limit, whole);
  requireTip(chain, whole, tip);
  return pieceText(logs, bytes);
}

function requireTip(chain: ChainReader, { to }: BlockRange, tip: Uint8Array): void {
  const hash = chain.hashByNumber(to);
  if (hash === undefined || !equalBytes(hash, tip)) throw stateNotFound("the best chain is another one");
}

/** The traces of a piece. Rejects as `filterTraces`. */
export function searchTracePiece(
  chain: ChainReader,
  config: RpcConfig,
  request: TraceFilterRequest,
  limit: WorkLimit,
): JsonText {
  if (chain.headerByHash(request.lastHash) === undefined) throw stateNotFound("the blocks are unknown");
  const { traces, bytes } = collectTraces(chain, config, request, limit);
  return pieceText(traces, bytes);
}

function pieceText(items: readonly unknown[], bytes: number): JsonText {
  return new JsonText(`[${items.length},${bytes},${JSON.stringify(items)}]`);
}

const PIECE = /^\[(\d{1,15}),(\d{1,15}),\[/;

/** Reads the text of a piece. Throws if it is none. */
export function readPiece(text: string): PieceResult {
  const found = PIECE.exec(text.slice(0, 64));
  if (found === null || !text.endsWith("]]")) throw new Error("the result of a piece is malformed");
  const [start, count, bytes] = found as unknown as [string, string, string];
  return { count: Number(count), bytes: Number(bytes), items: text.slice(start.length, -2) };
}

/** A search that can be cut. */
export type WideSearch =
  | { kind: "logs"; request: LogRequest & { blocks: BlockRange }; tip: Uint8Array }
  | { kind: "traces"; request: TraceFilterRequest; last: number };

/** Pieces begin at multiples of this number of blocks, or of a smaller power of two: chunks of the index of logs. */
const ALIGNMENT = 256;

/** Cuts a search into about so many pieces, in the order of their blocks. */
export function cut(search: WideSearch, count: number, hashOf: (number: number) => Uint8Array | undefined): Piece[] {
  const [first, last] =
    search.kind === "logs"
      ? [search.request.blocks.from, search.request.blocks.to]
      : [search.request.fromBlock, search.last];
  const pieces: Piece[] = [];
  for (const { from, to } of ranges(first, last, count)) {
    if (search.kind === "logs") {
      const { blocks: whole, match } = search.request;
      pieces.push({ task: "logPiece", request: { from, to, match, whole, tip: search.tip } });
    } else {
      const { request } = search;
      const lastHash = to === last ? request.lastHash : hashOf(to);
      if (lastHash === undefined) return [];
      const { after, count: wanted } = request;
      pieces.push({
        task: "tracePiece",
        request: { ...request, fromBlock: from, lastHash, after: 0, count: after + wanted },
      });
    }
  }
  return pieces;
}

function ranges(first: number, last: number, count: number): BlockRange[] {
  const length = Math.max(Math.ceil((last - first + 1) / count), 1);
  const alignment = Math.min(2 ** Math.floor(Math.log2(length)), ALIGNMENT);
  const found: BlockRange[] = [];
  for (let from = first; from <= last; ) {
    const end = Math.ceil((from + length) / alignment) * alignment;
    found.push({ from, to: Math.min(end - 1, last) });
    from = end;
  }
  return found;
}
