import type { ChainReader } from "@cambium/chain";
import { append } from "@cambium/primitives";
import type { ApiConfig } from "../config.js";
import { Deadline } from "../limits/deadline.js";
import { TurnTaker } from "../limits/turns.js";
import { blockLogs } from "../logs/block-logs.js";
import { isInRange, type LogFilter, mayHaveLogs } from "../logs/log-filter.js";
import { keysOf, LogMatcher } from "../logs/log-matcher.js";
import { type LogObject, locatedLogObject, logObjectBytes } from "../objects/log.js";
import type { MovedBlock } from "../sources/chain-feed.js";
import type { Journal } from "./journal.js";

/** A block that joined or left the best chain. The contents of a joined block are read only when needed. */
export interface JournalBlock extends Partial<Pick<MovedBlock, "block" | "receipts">> {
  hash: Uint8Array;
  number: number;
  removed: boolean;
  connectedIn: number;
  hasLogs: boolean;
}

export interface LogReader {
  query: LogFilter;
  createdAfter: number;
  position: number;
}

/**
 * Maximum number of logs in one response, and maximum of their bytes: it is serialised in one turn of the event loop.
 */
const MAX_ITEMS = 20_000;
const MAX_BYTES = 2_097_152;
const MAX_MILLISECONDS = 1_000;

/**
 * Reads logs from the reader's position on and advances it. Stops early if the response takes too long or becomes too
 * large; the next call continues from there, so that no log is lost.
 */
export async function collectLogs(
  { chain, config }: { chain: ChainReader; config: ApiConfig },
  journal: Journal<JournalBlock>,
  reader: LogReader,
): Promise<LogObject[]> {
  const { timeout, maxResponseSize } = config;
  const until = Deadline.after(timeout > 0 ? Math.min(MAX_MILLISECONDS, timeout / 2) : MAX_MILLISECONDS);
  const maxBytes = maxResponseSize > 0 ? Math.min(maxResponseSize / 2, MAX_BYTES) : MAX_BYTES;
  const turns = new TurnTaker();
  const matcher = new LogMatcher(reader.query.match);
  const found: LogObject[] = [];
  let bytes = 0;
  while (reader.position < journal.end && found.length < MAX_ITEMS && bytes < maxBytes && !until.passed) {
    const logs = logsOfMove(chain, journal.at(reader.position)!, reader, matcher);
    for (const log of logs) bytes += logObjectBytes(log);
    append(found, logs);
    reader.position++;
    await turns.pause();
  }
  return found;
}

function logsOfMove(
  chain: ChainReader,
  move: JournalBlock,
  { query, createdAfter }: LogReader,
  matcher: LogMatcher,
): LogObject[] {
  const { hash, number, removed, connectedIn, hasLogs } = move;
  // A filter that never reported a block does not report its removal.
  if (!hasLogs || connectedIn <= createdAfter || !isInRange(query, number)) return [];
  const header = move.block?.header ?? chain.headerByHash(hash);
  if (header === undefined || !mayHaveLogs(query.match, header.logsBloom)) return [];
  const { block = chain.blockByHash(hash), receipts = chain.receipts(hash) } = move;
  if (block === undefined || receipts === undefined) return [];
  const logs: LogObject[] = [];
  for (const located of blockLogs(block, receipts)) {
    if (matcher.matches(keysOf(located.log))) logs.push({ ...locatedLogObject(located), removed });
  }
  return logs;
}
