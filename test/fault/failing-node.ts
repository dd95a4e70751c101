import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type RunningNode, runCli, startNode, THREADED } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

/** Heap of each thread in megabytes, so small that it is used up immediately. */
const HEAP = 128;
const HOOK = new URL("./failing-thread.js", import.meta.url);

/** Failure of a thread: without memory, or with an uncaught exception or rejection. */
export type Failure = "memory" | "exception" | "rejection";

export interface FailingNodeOptions {
  flags?: readonly string[];
  /** Entry module whose threads fail whenever they start, and the failure. */
  atStart?: `${string} ${Failure}` | undefined;
}

/** A node on `local` whose threads fail on request. */
export class FailingNode {
  readonly rpc: RpcClient;
  private output: string;

  private constructor(
    private readonly node: RunningNode,
    private readonly orders: string,
  ) {
    this.rpc = new RpcClient(node.url);
    this.output = node.greeting;
    for (const stream of [node.process.stdout!, node.process.stderr!]) {
      stream.on("data", (chunk) => (this.output += chunk));
    }
  }

  static async start(folder: string, { flags = [], atStart }: FailingNodeOptions = {}): Promise<FailingNode> {
    const orders = join(folder, "failures");
    const before = { ...process.env };
    process.env.NODE_OPTIONS = `--max-old-space-size=${HEAP} --import=${HOOK}`;
    process.env.FAILURE_ORDERS = orders;
    process.env.FAILURE_AT_START = atStart ?? "";
    const starting = startNode(...optionsIn(folder), ...THREADED, ...flags);
    process.env = before;
    return new FailingNode(await starting, orders);
  }

  /** Output of the node so far. */
  get log(): string {
    return this.output;
  }

  /** Number of threads of an entry module that have started. */
  starts(thread: string): number {
    return this.output.split(`thread ${thread} starts\n`).length - 1;
  }

  /** Makes the threads of an entry module fail; `main` is the main thread. */
  fail(thread: string, failure: Failure): void {
    writeFileSync(this.orders, `${thread} ${failure}`);
    this.node.process.kill("SIGUSR2");
  }

  async mine(blocks: number): Promise<void> {
    for (let i = 0; i < blocks; i++) await this.rpc.call("evm_mine");
  }

  /** Resolves to the status with which the process itself ends. */
  ended(): Promise<number | null> {
    return new Promise((resolve) => {
      const { process: child } = this.node;
      if (child.exitCode !== null) resolve(child.exitCode);
      else child.once("close", resolve);
    });
  }

  stop(): Promise<number | null> {
    return this.node.stop();
  }
}

/** Checks the database of a failing node that has stopped. */
export async function assertSound(folder: string, blocks: number): Promise<void> {
  const check = await runCli("db", "check", "--deep", ...optionsIn(folder));
  assert.equal(check.status, 0, check.stdout + check.stderr);
  assert.match(check.stdout, new RegExp(`checked ${blocks + 1} blocks`));
}

function optionsIn(folder: string): readonly string[] {
  return ["--network", "local", "--data-dir", join(folder, "data")];
}
