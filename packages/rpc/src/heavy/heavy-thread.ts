import { workerData } from "node:worker_threads";
import { createChainEvm, openReader } from "@cambium/chain";
import { attachLevelDatabase } from "@cambium/database";
import { ExecutionInterrupted } from "@cambium/evm";
import { serveThread } from "@cambium/primitives";
import { sizeLimitExceeded, timeLimitExceeded } from "../errors.js";
import type { HeavyMethods, HeavyTask, HeavyThreadData } from "./messages.js";
import { runTask, type TaskModules } from "./tasks.js";

/** Gas of a native call that may take 40 ms on a slow machine. */
const LONG_NATIVE_CALL = 300_000;

/** Runs one task at a time, until it ends or the main thread interrupts it. */
class TaskRunner implements HeavyMethods {
  private running = 0;
  private isTrial = false;
  private modules!: TaskModules;

  constructor(private readonly data: HeavyThreadData) {}

  async open(): Promise<void> {
    const { network, location, config } = this.data;
    const { nodeCacheCapacity } = config.heavy;
    const database = await attachLevelDatabase(location);
    const evm = createChainEvm(network, {
      isInterrupted: (gas) => this.isInterrupted() || (this.isTrial && gas > LONG_NATIVE_CALL),
    });
    this.modules = { chain: openReader({ network, database, nodeCacheCapacity, evm }), config };
  }

  async run({ name, request, number, isTrial }: HeavyTask): Promise<string | undefined> {
    this.running = number;
    this.isTrial = isTrial;
    try {
      return this.text(await runTask(name, this.modules, request, this));
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

  private text(result: unknown): string {
    const text = JSON.stringify(result);
    const limit = this.data.config.maxResponseSize;
    if (limit > 0 && text.length > limit) throw sizeLimitExceeded(limit);
    return text;
  }
}

await serveThread<HeavyMethods>(async () => {
  const runner = new TaskRunner(workerData as HeavyThreadData);
  await runner.open();
  return { methods: { run: (task) => runner.run(task) } };
});
