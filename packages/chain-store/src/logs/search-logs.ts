import type { KeyValueReader } from "@cambium/database";
import type { BlockHeader } from "@cambium/types";
import type { ChainStore } from "../blocks/chain-store.js";
import type { LogLocation, LogQuery } from "../interface.js";
import { CHUNK_BLOCKS, candidateBlocks, completeChunks } from "./log-index.js";
import { LogSearch } from "./log-search.js";

/**
 * Finds the matching logs of the best chain, ascending: by the index as far as it is complete, then by the blocks'
 * bloom filters. Yields one list, possibly empty, for each block searched. The range must not exceed the chain.
 */
export function* searchLogs(
  index: KeyValueReader,
  store: ChainStore,
  query: LogQuery,
): Generator<readonly LogLocation[]> {
  const { fromBlock, toBlock } = query;
  const search = new LogSearch(store, query);
  // Read only once, since the index may grow during the iteration.
  const firstOpen = completeChunks(index) * CHUNK_BLOCKS;
  for (const number of candidateBlocks(index, { ...query, toBlock: Math.min(toBlock, firstOpen - 1) })) {
    const header = headerAt(store, number);
    yield header === undefined ? [] : search.logsOf(header);
  }
  for (let number = Math.max(fromBlock, firstOpen); number <= toBlock; number++) {
    const header = headerAt(store, number);
    yield header !== undefined && search.mayMatch(header.logsBloom) ? search.logsOf(header) : [];
  }
}

function headerAt(store: ChainStore, number: number): BlockHeader | undefined {
  const hash = store.hashAt(number);
  return hash && store.header(hash);
}
