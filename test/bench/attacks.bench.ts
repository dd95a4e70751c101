import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { sleep } from "@cambium/test-utils/rpc-client";
import type { Attack, Target } from "./attacks/attack.js";
import { ATTACKS } from "./attacks/attacks.js";

type Print = (name: string, value: number, unit: string) => void;

const ATTACKER = fileURLToPath(new URL("attacks/attacker.ts", import.meta.url));
const IDLE_MILLISECONDS = 2_000;
const WARM_UP = 2_000;
const MEASUREMENT = 6_000;
/** Milliseconds between two requests of the honest client, so that it does not fill a core. */
const PAUSE = 5;
/** Milliseconds after which a request without a response has failed. */
const PATIENCE = 5_000;

/** Measures the latency of light requests to a node in its default configuration, without and under each attack. */
export async function run(print: Print): Promise<void> {
  const wanted = process.env.ATTACK ?? "";
  for (const attack of ATTACKS.filter(({ name }) => name.includes(wanted))) await measure(attack, print);
}

async function measure({ name, flags = [] }: Attack, print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const defaults = join(folder, "rpc.json");
    writeFileSync(defaults, "{}");
    const node = await startNode(
      "--network",
      "local",
      "--data-dir",
      folder,
      "--rpc.config",
      defaults,
      ...THREADED,
      ...flags,
    );
    const target = { http: portOf(node.url), ws: portOf(node.wsUrl!) };
    await latencies(target, WARM_UP);
    const idle = percentile99((await latencies(target, IDLE_MILLISECONDS)).times);
    const attacker = fork(ATTACKER, [name, String(target.http), String(target.ws)], { execArgv: ["--import=tsx"] });
    await once(attacker, "message");
    await sleep(WARM_UP);
    const { times, failed } = await latencies(target, MEASUREMENT);
    const peak = peakMemory(node.process.pid!);
    attacker.kill("SIGKILL");
    const attacked = percentile99(times);
    print(`${name}: eth_blockNumber, p99`, attacked, "ms");
    print(`${name}: ratio to the idle node`, attacked / idle, "");
    print(`${name}: failed requests`, failed, `of ${times.length}`);
    if (peak !== undefined) print(`${name}: peak of the node's memory`, peak, "MB");
    await node.stop("SIGKILL");
  });
}

interface Latencies {
  /** Milliseconds of each request, including failed ones. */
  times: number[];
  failed: number;
}

/** Sends consecutive requests, every second one on a new connection. */
async function latencies({ http }: Target, milliseconds: number): Promise<Latencies> {
  const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });
  const result: Latencies = { times: [], failed: 0 };
  const end = performance.now() + milliseconds;
  for (let i = 0; performance.now() < end; i++) {
    const start = performance.now();
    const served = await askBlockNumber(http, i % 2 === 0 ? keepAlive : undefined);
    if (!served) result.failed++;
    result.times.push(served ? performance.now() - start : PATIENCE);
    await sleep(PAUSE);
  }
  keepAlive.destroy();
  return result;
}

/** Whether the node returned a result in time. */
function askBlockNumber(port: number, agent: Agent | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, host: "127.0.0.1", method: "POST", agent: agent ?? false, timeout: PATIENCE };
    const asked = request({ ...options, headers: { "content-type": "application/json" } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
      response.on("end", () => resolve(text.includes('"result"')));
      response.on("error", () => resolve(false));
    });
    asked.on("timeout", () => asked.destroy());
    asked.on("error", () => resolve(false));
    asked.end('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}');
  });
}

function percentile99(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)]!;
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Returns the peak memory of a process in megabytes; undefined where the system does not show it. */
function peakMemory(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s*(\d+) kB/.exec(status)![1]) / 1024;
  } catch {
    return undefined;
  }
}
