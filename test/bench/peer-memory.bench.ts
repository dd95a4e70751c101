import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { TestNodes } from "@cambium/test-utils/peers/network-nodes";
import { sleep } from "@cambium/test-utils/rpc-client";

type Print = (name: string, value: number, unit: string) => void;

const PEERS = 40;
/** Milliseconds until timers and buffers of the connection set-up are released. */
const SETTLING = 15_000;

/** Measures the memory of a connection between two idle peers, at both ends: all peers are in this process. */
async function measure(): Promise<number> {
  const nodes = new TestNodes();
  try {
    const hub = await nodes.start();
    const others = await Promise.all(Array.from({ length: PEERS }, () => nodes.start()));
    const before = await usedBytes();
    for (const { network } of others) await network.dial(hub.address);
    while (hub.network.peers().length < PEERS) await sleep(100);
    return ((await usedBytes()) - before) / PEERS;
  } finally {
    await nodes.end();
  }
}

async function usedBytes(): Promise<number> {
  await sleep(SETTLING);
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Runs in a separate process, so that nothing else allocates memory. */
export async function run(print: Print): Promise<void> {
  const child = spawnSync(process.execPath, ["--import=tsx", fileURLToPath(import.meta.url)], { encoding: "utf8" });
  if (child.status !== 0) throw new Error(child.stderr);
  print("an idle connection, at both ends together", Number(child.stdout) / 1024, "KiB");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(await measure());
  process.exit(0);
}
