import { getPriority, platform, setPriority } from "node:os";
import { workerData } from "node:worker_threads";
import { resultText, runTask, type TaskParts, timeLimitExceeded } from "@cambium/api/tasks";
import { createChainEvm, openReader } from "@cambium/chain";
import { attachLevelDatabase } from "@cambium/database";
import { ExecutionInterrupted } from "@cambium/evm";
import { serveThread } from "@cambium/primitives";
import type { HeavyMethods, HeavyTask, HeavyThreadData } from "./messages.js";
import { PendingChangesReceiver } from "./pending-changes.js";

/** Niceness of the thread: threads that serve peers and light requests run first. */
const NICENESS = 15;

/** Runs one task at a time, until it ends or the main thread interrupts it. */
class TaskRunner implements HeavyMethods {
  private running = 0;
  private maxNativeGas = 0;
  private readonly pendingChanges = new PendingChangesReceiver();
  private parts!: TaskParts;

  constructor(private readonly data: HeavyThreadData) {}

  async open(): Promise<void> {
    const { network, location, config } = this.data;
    const { nodeCacheCapacity } = config.heavy;
    yieldToOthers();
    const database = await attachLevelDatabase(location);
    const evm = createChainEvm(network, {
      isInterrupted: (gas) => this.isInterrupted() || gas > this.maxNativeGas,
    });
    this.parts = { chain: openReader({ network, database, nodeCacheCapacity, evm }), config };
  }

  async run(task: HeavyTask): Promise<string | undefined> {
    const { name, request } = this.pendingChanges.complete(task);
    this.running = task.number;
    this.maxNativeGas = task.maxNativeGas;
    try {
      return resultText(await runTask(name, this.parts, request, this), this.parts.config);
    } catch (error) {
      if (error instanceof ExecutionInterrupted || this.isInterrupted()) return undefined;
      throw error;
    }
  }

  check(): void {
    if (this.isInterrupted()) throw timeLimitExceeded();
  }

  private isInterrupted(): boolean {
    return Atomics.load(this.data.interrupted, 0) === this.running;
  }
}

/**
 * Lowers the priority of this thread; a sandbox may forbid it. On systems other than Linux, it would lower that of the
 * process.
 */
function yieldToOthers(): void {
  if (platform() !== "linux") return;
  try {
    if (getPriority() < NICENESS) setPriority(NICENESS);
  } catch {
    // Threads then have equal priority.
  }
}

void serveThread<HeavyMethods>(async () => {
  const runner = new TaskRunner(workerData as HeavyThreadData);
  await runner.open();
  return { methods: { run: (task) => runner.run(task) } };
});
