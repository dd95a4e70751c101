import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { longChainFiles } from "@cambium/test-utils/vectors";
import type { Figures, Order, Report, Task } from "./replication/process.js";

type Print = (name: string, value: number, unit: string) => void;

/** Number of blocks a second at which the lag is measured, and their total. */
const PACE = 50;
const PACED_BLOCKS = 1_000;
/** Number of runs that measure the lag: a stall does not occur in each. */
const LAG_RUNS = 10;

/** Number of imports with and without a stream in turn, of which the fastest counts: others use the same machine. */
const ROUNDS = 3;

const SCRIPT = fileURLToPath(new URL("replication/process.ts", import.meta.url));

/** Runs a task in a separate process, whose processor time is that of the task. */
class Worker {
  private readonly child: ChildProcess;

  private constructor(task: Task) {
    this.child = fork(SCRIPT, [JSON.stringify(task)], { execArgv: ["--import=tsx"], stdio: "inherit" });
  }

  /** Resolves when the task can begin. */
  static async start(task: Task): Promise<Worker> {
    const worker = new Worker(task);
    await worker.received("ready");
    return worker;
  }

  begin(): void {
    this.child.send({ kind: "begin" } satisfies Order);
  }

  /** Resolves when a writer has imported its blocks. */
  imported(): Promise<Figures> {
    return this.received("imported");
  }

  /** Resolves when the best block has this height, and ends the process. */
  async end(height: number): Promise<Figures> {
    this.child.send({ kind: "end", height } satisfies Order);
    return this.received("ended");
  }

  stop(): void {
    this.child.kill("SIGKILL");
  }

  private received(kind: Report["kind"]): Promise<Figures> {
    return new Promise((resolve, reject) => {
      this.child.on("message", (report: Report) => {
        if (report.kind === kind) resolve("figures" in report ? report.figures : (undefined as never));
      });
      this.child.on("exit", (status) => reject(new Error(`a process ended with ${status}`)));
    });
  }
}

/** Runs a writer, and its replica if there is one, until both have all blocks. */
async function measure(writerTask: Task, replicaTask?: Task) {
  const writer = await Worker.start(writerTask);
  const replica = replicaTask && (await Worker.start(replicaTask));
  replica?.begin();
  writer.begin();
  const imported = await writer.imported();
  const replicated = await replica?.end(imported.best);
  const { processorSeconds } = await writer.end(imported.best);
  for (const worker of [writer, replica]) worker?.stop();
  return { imported, processorSeconds, replicated };
}

/** Returns the milliseconds from a block's first read at the writer to its first read at the replica, ascending. */
function lags(writer: Figures, replica: Figures): number[] {
  const numbers = Object.keys(writer.times).map(Number);
  return numbers.map((number) => replica.times[number]! - writer.times[number]!).sort((a, b) => a - b);
}

type Measured = Awaited<ReturnType<typeof measure>>;

/** Returns the least of each figure over several imports. */
function least(rounds: readonly Measured[]) {
  return {
    seconds: Math.min(...rounds.map(({ imported }) => imported.seconds)),
    processorSeconds: Math.min(...rounds.map(({ processorSeconds }) => processorSeconds)),
  };
}

/** Measures the cost of replication for a writer and for a replica, over a real NATS server. */
export async function run(print: Print): Promise<void> {
  const files = longChainFiles();
  if (files === undefined) return console.log("replication: skipped, the long chain is outside the repository");
  if (!hasNatsServer()) return console.log("replication: skipped, nats-server is not installed");
  const folder = mkdtempSync(join(tmpdir(), "cambium-replication-bench-"));
  const nats = await NatsServer.start();
  try {
    const task = (name: string, more: Partial<Task> = {}): Task => ({
      kind: name === "replica" ? "replica" : "writer",
      files,
      location: join(folder, `${name}-${more.stream ?? "all"}`),
      url: nats.url,
      stream: "all",
      ...more,
    });
    const [without, publishing]: [Measured[], Measured[]] = [[], []];
    const serverBefore = nats.processorSeconds();
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await measure(task("alone", { url: undefined, stream: `alone-${round}` })));
      publishing.push(await measure(task("writer", { stream: `published-${round}` })));
    }
    const [alone, published] = [least(without), least(publishing)];
    print("import without replicas", alone.seconds, "s");
    print("import without replicas, processor time", alone.processorSeconds, "s");
    print("import, published", published.seconds, "s");
    print("import, published, processor time", published.processorSeconds, "s");
    print("published / without replicas", published.processorSeconds / alone.processorSeconds, "of processor time");
    if (serverBefore !== undefined) {
      print("NATS server, processor time of an import", (nats.processorSeconds()! - serverBefore) / ROUNDS, "s");
    }
    const { imported, replicated } = await measure(task("writer"), task("replica"));
    print("replica, processor time", replicated!.processorSeconds, "s");
    print(
      "replica / import without replicas",
      replicated!.processorSeconds / alone.processorSeconds,
      "of processor time",
    );
    print("stream", replicated!.bytes / imported.best, "bytes a block");
    const [medians, highest]: [number[], number[]] = [[], []];
    for (let run = 0; run < LAG_RUNS; run++) {
      const paced = { pace: PACE, blocks: PACED_BLOCKS, stream: `paced-${run}` };
      const { imported: shown, replicated: followed } = await measure(task("writer", paced), task("replica", paced));
      const ordered = lags(shown, followed!);
      medians.push(ordered[Math.floor(ordered.length / 2)]!);
      highest.push(ordered[Math.floor(ordered.length * 0.99)]!);
    }
    print(`lag at ${PACE} blocks/s, highest median of ${LAG_RUNS} runs`, Math.max(...medians), "ms");
    print(`lag at ${PACE} blocks/s, highest p99 of ${LAG_RUNS} runs`, Math.max(...highest), "ms");
  } finally {
    await nats.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
