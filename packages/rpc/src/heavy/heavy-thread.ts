import { workerData } from "node:worker_threads";
import { openReader } from "@cambium/chain";
import { openLevelDatabase } from "@cambium/database";
import { serveThread } from "@cambium/primitives";
import { sizeLimitExceeded } from "../errors.js";
import { Deadline } from "../limits.js";
import type { HeavyMethods, HeavyRequest, HeavyThreadData } from "./messages.js";
import { runTask, type TaskModules } from "./tasks.js";

async function openModules({ network, location, config }: HeavyThreadData): Promise<TaskModules> {
  const database = await openLevelDatabase(location);
  const { nodeCacheCapacity } = config.heavy;
  return { chain: openReader({ network, database, nodeCacheCapacity }), config };
}

async function answer(modules: TaskModules, { name, request, timeout }: HeavyRequest): Promise<string> {
  const result = await runTask(name, modules, request, Deadline.after(timeout));
  const text = JSON.stringify(result);
  const limit = modules.config.maxResponseSize;
  if (limit > 0 && text.length > limit) throw sizeLimitExceeded(limit);
  return text;
}

await serveThread<HeavyMethods>(async () => {
  const modules = await openModules(workerData as HeavyThreadData);
  return { methods: { run: (request) => answer(modules, request) } };
});
