import { fork } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BLOCK_TABLES } from "@cambium/feed";
import { importRecorded, startNode } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { hasNatsServer, NatsServer } from "@cambium/test-utils/servers/nats-server";
import { longChainFiles } from "@cambium/test-utils/vectors";
import { ClickHouseStandIn } from "../e2e/clickhouse-stand-in.js";
import type { Figures, Task } from "./feed/process.js";

type Print = (name: string, value: number, unit: string) => void;

const SCRIPT = fileURLToPath(new URL("feed/process.ts", import.meta.url));
const WITHOUT_CALLS = BLOCK_TABLES.filter((table) => table !== "internal_calls");

/** Runs a feed in a separate process, whose processor time is that of the feed. */
function measure(task: Task): Promise<Figures> {
  const child = fork(SCRIPT, [JSON.stringify(task)], { execArgv: ["--import=tsx"], stdio: "inherit" });
  return new Promise((resolve, reject) => {
    child.on("message", (figures: Figures) => resolve(figures));
    child.on("exit", (status) => reject(new Error(`a feed ended with ${status}`)));
  });
}

function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(folder, name)));
  return files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}

/**
 * Measures the cost of feeds of a long chain, by destination. ClickHouse is a stand-in unless `CLICKHOUSE_URL` names a
 * server.
 */
export async function run(print: Print): Promise<void> {
  const files = longChainFiles();
  if (files === undefined) return console.log("feed: skipped, the long chain is outside the repository");
  const folder = mkdtempSync(join(tmpdir(), "cambium-feed-bench-"));
  const options = ["--network", "local", "--data-dir", join(folder, "node")];
  await importRecorded(...options, ...files);
  const node = await startNode(...options);
  const nats = hasNatsServer() ? await NatsServer.start() : undefined;
  const standIn = process.env.CLICKHOUSE_URL === undefined ? await ClickHouseStandIn.start() : undefined;
  const toBlock = Number(await new RpcClient(node.url, false).call("eth_blockNumber"));
  try {
    const task = { node: node.url, toBlock, tables: WITHOUT_CALLS };
    const clickHouse = `${standIn?.url ?? process.env.CLICKHOUSE_URL}/feed_bench_${process.pid}`;
    const destinations: [string, Task][] = [
      ["parquet", { ...task, to: `parquet:${folder}/rows` }],
      [standIn === undefined ? "clickhouse" : "clickhouse (stand-in)", { ...task, to: clickHouse }],
      ["parquet with calls", { ...task, to: `parquet:${folder}/calls`, tables: BLOCK_TABLES }],
    ];
    if (nats === undefined) console.log("feed: nats skipped, nats-server is not installed");
    else destinations.push(["nats", { ...task, to: nats.url }]);
    for (const [name, one] of destinations) {
      const { seconds, processorSeconds, megabytes } = await measure(one);
      print(name, toBlock / seconds, "blocks/s");
      print(`${name}, processor time`, (1000 * processorSeconds) / toBlock, "ms a block");
      print(`${name}, memory`, megabytes, "MB");
    }
    print("parquet, files", bytesIn(join(folder, "rows")) / toBlock, "bytes a block");
  } finally {
    await node.stop();
    await nats?.remove();
    await standIn?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
