import { workerData } from "node:worker_threads";
import type { NetworkConfig } from "@cambium/config";
import { attachLevelDatabase } from "@cambium/database";
import { loadPrecompiles } from "@cambium/evm";
import { serveThread } from "@cambium/primitives";
import { createChainEvm } from "../execution/native-contracts.js";
import { openReader } from "../open-chain.js";
import { ListExecution, type ListMethods } from "./list-execution.js";

/** Start-up data of the thread. */
export interface ListThreadData {
  network: NetworkConfig;
  /** Directory of the database. */
  location: string;
}

/** Decoded state nodes that it caches: with flat states, execution reads none. */
const NODES = 10_000;

await serveThread<ListMethods>(async () => {
  const { network, location } = workerData as ListThreadData;
  const [database] = await Promise.all([attachLevelDatabase(location), loadPrecompiles()]);
  const evm = createChainEvm(network);
  const execution = new ListExecution(openReader({ network, database, evm, nodeCacheCapacity: NODES }), evm);
  return { methods: { execute: (block) => execution.execute(block) }, close: () => database.close() };
});
