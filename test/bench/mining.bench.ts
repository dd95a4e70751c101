import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { solve, submit, type Work } from "@cambium/test-utils/clients/mining-client";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { PushedWork } from "./mining/pool-of-transfers.js";
import { staleRate } from "./mining/stale-rate.js";
import { VALUE_LABELS, valueBesideAllOrders, valueOverTime } from "./mining/template-value.js";
import { workAfterBlocks } from "./mining/work-after-blocks.js";

type Print = (name: string, value: number, unit: string, peer?: string) => void;

/** Gas limit of the deployed client's local network. */
const GAS_LIMIT = 7_500_000;
const REQUESTS_PER_SECOND = 200;
const SECONDS = 15;
/** Transactions sent between two blocks. */
const TRANSACTIONS_PER_BLOCK = 100;

/** Milliseconds between two requests for work of the deployed client's own miner. */
const USUAL_POLL_INTERVAL = 1_000;

/**
 * Measures the latency of `mnr_getWork` while blocks with transactions are imported and templates are built. Also
 * measures work after a block, and its earnings, including those of the local nodes in `against`. These are on a new
 * chain and mine only on request.
 */
export async function run(print: Print, { against = [] }: { against?: readonly string[] } = {}): Promise<void> {
  await latencyOfRequests(print);
  await withFolder(async (folder) => {
    const flags = ["--network", "local", "--data-dir", folder, ...THREADED];
    const node = await startNode(...flags, "--miner.gas-limit", String(GAS_LIMIT));
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    const rates: number[] = [];
    for (const url of [node.url, ...against]) {
      const own = url === node.url ? pushed : undefined;
      const named: Print = (name, value, unit) => print(name, value, unit, own === undefined ? url : undefined);
      const values = await valueOverTime(url, own);
      for (const [i, label] of VALUE_LABELS.entries()) named(`fees of the work, ${label}`, values[i]!, "10^12 wei");
      const latencies = await workAfterBlocks(url, named, own);
      const pollInterval = own === undefined ? USUAL_POLL_INTERVAL : 0;
      rates.push(staleRate({ latencies, pollInterval }));
      named(`stale work of a simulated pool, ${own ? "pushed" : "polled every second"}`, rates.at(-1)!, "%");
    }
    await pushed.close();
    await node.stop();
  });
  await valueBesideAllOrders(print);
}

async function latencyOfRequests(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const mining = mineBlocks(rpc);
    await sleep(1000);
    const latencies = await askForWork(node.url);
    const blocks = await mining.stop();
    latencies.sort((a, b) => a - b);
    const percentile = (share: number) => latencies[Math.floor(latencies.length * share)]!;
    const load = `${REQUESTS_PER_SECOND}/s`;
    print(`mnr_getWork at ${load}, p50`, percentile(0.5), "ms");
    print(`mnr_getWork at ${load}, p99`, percentile(0.99), "ms");
    print(`mnr_getWork at ${load}, longest`, latencies.at(-1)!, "ms");
    print("blocks imported meanwhile", blocks.count / blocks.seconds, "blocks/s");
    print("transactions in them", blocks.transactions / blocks.seconds, "transactions/s");
    await node.stop();
  });
}

/** Latency of each response in milliseconds. */
async function askForWork(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const answers: Promise<number>[] = [];
  const start = performance.now();
  for (let i = 0; i < REQUESTS_PER_SECOND * SECONDS; i++) {
    const due = start + (i * 1000) / REQUESTS_PER_SECOND;
    const early = due - performance.now();
    if (early > 0) await sleep(early);
    answers.push(timeOf(url, agent, due));
  }
  const latencies = await Promise.all(answers);
  agent.destroy();
  return latencies;
}

const BODY = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "mnr_getWork", params: [] });
const HEADERS = { "content-type": "application/json", "content-length": BODY.length };

function timeOf(url: string, agent: Agent, due: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers: HEADERS }, (response) => {
      let text = "";
      response.on("data", (chunk) => (text += chunk));
      response.on("end", () => {
        if (text.includes('"result"')) resolve(performance.now() - due);
        else reject(new Error(text));
      });
    });
    outgoing.on("error", reject);
    outgoing.end(BODY);
  });
}

interface Mined {
  count: number;
  transactions: number;
  seconds: number;
}

/** Repeatedly sends transfers and solves the work that contains them. */
function mineBlocks(rpc: RpcClient): { stop(): Promise<Mined> } {
  let running = true;
  const mined = { count: 0, transactions: 0 };
  const start = performance.now();
  const loop = async () => {
    for (let round = 0; running; round++) {
      await sendTransfers(rpc, round);
      // New transactions reach the work after a delay.
      await sleep(500);
      let work: Work;
      do work = await rpc.call("mnr_getWork");
      while (work.feesPaidToMiner === "0" && running && (await sleep(100)) === undefined);
      await submit(rpc, "block", solve(work));
      mined.count++;
      mined.transactions += TRANSACTIONS_PER_BLOCK;
    }
  };
  const done = loop();
  return {
    async stop() {
      const seconds = (performance.now() - start) / 1000;
      running = false;
      await done;
      return { ...mined, seconds };
    },
  };
}

async function sendTransfers(rpc: RpcClient, round: number): Promise<void> {
  const each = TRANSACTIONS_PER_BLOCK / DEVELOPERS.length;
  for (const wallet of DEVELOPERS) {
    for (let i = 0; i < each; i++) {
      const to = `0x${randomBytes(20).toString("hex")}`;
      const nonce = round * each + i;
      const transfer = { to, value: 1, nonce, gasLimit: 21_000, gasPrice: 1_000_000_000n, chainId: 33, type: 0 };
      await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(transfer));
    }
  }
}
