import { workerData } from "node:worker_threads";
import type { NetworkConfig } from "@cambium/config";
import { attachLevelDatabase, TimedDatabase } from "@cambium/database";
import { serveThread } from "@cambium/primitives";
import { createChainEvm } from "../execution/native-contracts.js";
import { openReader } from "../open-chain.js";
import { layoutOf } from "../state/open-states.js";
import { DiskReads } from "./disk-reads.js";
import { PrefetchExecution, type PrefetchMethods } from "./prefetch-execution.js";
import { TriePaths } from "./trie-paths.js";

/** Start-up data of the thread. */
export interface PrefetchThreadData {
  network: NetworkConfig;
  /** Directory of the database. */
  location: string;
  /** See {@link DiskReads}. */
  minDiskTime: number;
  /** Position of the block that the import has reached, in shared memory. */
  reached: Int32Array;
}

/** Decoded state nodes that it caches in the archive layout. */
const NODES = 20_000;
/** Milliseconds for a block; the rest is left to the import. */
const MAX_TIME = 250;

await serveThread<PrefetchMethods>(async () => {
  const { network, location, minDiskTime, reached } = workerData as PrefetchThreadData;
  const reads = new DiskReads(minDiskTime, 1);
  const note = (microseconds: number) => reads.note(microseconds);
  const database = new TimedDatabase(await attachLevelDatabase(location), 1, note);
  let current = 0;
  let end = 0;
  const isOver = () => Atomics.load(reached, 0) >= current || performance.now() > end;
  const evm = createChainEvm(network, { isInterrupted: isOver });
  const chain = openReader({ network, database, evm, nodeCacheCapacity: NODES });
  const paths = layoutOf(database) === "flat" ? new TriePaths(database) : undefined;
  const execution = new PrefetchExecution(chain, evm, paths);
  const prefetch: PrefetchMethods["prefetch"] = ({ position, ...block }) => {
    current = position;
    end = performance.now() + MAX_TIME;
    const isComplete = execution.prefetch(block, isOver);
    return { diskShare: reads.share, isComplete };
  };
  return { methods: { prefetch }, close: () => database.close() };
});
