import { parentPort, workerData } from "node:worker_threads";
import { openReader } from "@cambium/chain";
import { openLevelDatabase } from "@cambium/database";
import { RpcError, sizeLimitExceeded } from "../errors.js";
import { Deadline } from "../limits.js";
import { type HeavyAnswer, type HeavyRequest, type HeavyThreadData, READY } from "./messages.js";
import { runTask, type TaskModules } from "./tasks.js";

async function openModules({ network, location, config }: HeavyThreadData): Promise<TaskModules> {
  const database = await openLevelDatabase(location);
  const { nodeCacheCapacity } = config.heavy;
  return { chain: openReader({ network, database, nodeCacheCapacity }), config };
}

/** Never rejects. */
async function answer(modules: Promise<TaskModules>, request: HeavyRequest): Promise<HeavyAnswer> {
  try {
    const ready = await modules;
    const result = await runTask(request.name, ready, request.request, Deadline.after(request.timeout));
    const text = JSON.stringify(result);
    const limit = ready.config.maxResponseSize;
    if (limit > 0 && text.length > limit) throw sizeLimitExceeded(limit);
    return { text };
  } catch (error) {
    if (error instanceof RpcError && "text" in error.details) return { fault: error.details };
    return { unexpected: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

const modules = openModules(workerData as HeavyThreadData);
const tellReady = () => parentPort!.postMessage(READY);
// what went wrong is told with the first answer
modules.then(tellReady, tellReady);
parentPort!.on("message", async (request: HeavyRequest) => {
  parentPort!.postMessage(await answer(modules, request));
});
