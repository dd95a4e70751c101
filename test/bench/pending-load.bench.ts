import { readFileSync } from "node:fs";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import type { Wallet } from "ethers";

type Print = (name: string, value: number, unit: string) => void;

const REQUESTS = 2000;
/** Init code that runs until it is out of gas. */
const LOOP = "0x5b600056";
const GAS = 2_000_000;
const NEIGHBOUR = `0x${"11".repeat(20)}`;

const CHANGES = 12;
/** Number of wallets with an expensive transaction, more than fit in a block; the others change the pool. */
const EXPENSIVE = 4;
const CALLS = 8;

export async function run(print: Print): Promise<void> {
  await measureLatency(print);
  await measureProcessorTime(print);
}

/**
 * Measures the effect of expensive pending transactions on light requests: the latency of `eth_blockNumber` on an idle
 * node, and on a node whose pool changes while other clients read the pending state.
 */
async function measureLatency(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const read = () => rpc.call("eth_getBalance", NEIGHBOUR, "pending").catch(() => undefined);
    await read();
    const idle = await percentile99(rpc);
    let running = true;
    const load = (async () => {
      for (const wallet of DEVELOPERS) {
        const creation = { data: LOOP, nonce: 0, gasLimit: GAS, gasPrice: 1_000_000_000n, chainId: 33, type: 0 };
        await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(creation));
        if (running) await Promise.all([read(), read()]);
      }
      while (running) await read();
    })();
    const loaded = await percentile99(rpc);
    running = false;
    await load;
    print("eth_blockNumber on an idle node, p99", idle, "ms");
    print("eth_blockNumber while pending transactions are read, p99", loaded, "ms");
    print("ratio of the two", loaded / idle, "");
    await node.stop();
  });
}

/** Latency of consecutive requests in milliseconds. */
async function percentile99(rpc: RpcClient): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const start = performance.now();
    await rpc.call("eth_blockNumber");
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(REQUESTS * 0.99)]!;
}

/**
 * Measures the processor time of the node for each change of the pool, with expensive transactions pending: without
 * calls, with one at `pending`, and with several together, which may run in several threads.
 */
async function measureProcessorTime(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const call = (block: string) => rpc.call("eth_call", { to: NEIGHBOUR }, block);
    const changing = DEVELOPERS.slice(EXPENSIVE);
    const send = async (wallet: Wallet, own: object) => {
      const request = { gasPrice: 1_000_000_000n, chainId: 33, type: 0, ...own };
      await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(request));
    };
    for (const wallet of DEVELOPERS.slice(0, EXPENSIVE)) await send(wallet, { data: LOOP, nonce: 0, gasLimit: GAS });
    let changes = 0;
    const perChange = async (calls: number, block = "pending") => {
      const before = processorTime(node.process.pid!);
      for (let i = 0; i < CHANGES; i++) {
        const nonce = Math.floor(changes / changing.length);
        await send(changing[changes++ % changing.length]!, { to: NEIGHBOUR, nonce, gasLimit: 21_000 });
        await Promise.all(Array.from({ length: calls }, () => call(block)));
      }
      return (processorTime(node.process.pid!) - before) / CHANGES;
    };
    await perChange(CALLS);
    const [none, one] = [await perChange(0), await perChange(1)];
    const [several, atLatest] = [await perChange(CALLS), await perChange(CALLS, "latest")];
    print("processor time for a change of the pool", none, "ms");
    print("the same with a call at pending", one, "ms");
    print(`the same with ${CALLS} calls at pending`, several, "ms");
    print(`the same with ${CALLS} calls at latest`, atLatest, "ms");
    print("ratio of the last two", several / atLatest, "");
    await node.stop();
  });
}

/** Milliseconds of processor time of a process so far; Linux only. */
function processorTime(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
