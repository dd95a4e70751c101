import { solve, submit, type Work } from "@cambium/test-utils/mining-client";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { ArrivingWork, fillPool, fundedAccounts, PushedWork } from "./pool-of-transfers.js";

type Print = (name: string, value: number, unit: string) => void;

/** Blocks after which pending transactions are dropped (`spec/08`), but one, and how often the pool is filled. */
const BLOCKS = 9;
const ROUNDS = 4;
/** Milliseconds between two requests of a miner that polls. */
const POLL_INTERVAL = 100;
const GAS_PRICE = 1_000_000_000n;

/**
 * Time from the arrival of a block at a node with 5,000 pending transactions until a miner has work that builds on it: if the node pushes work,
 * and if the miner asks for it every 100 ms.
 */
export async function workAfterBlocks(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const accounts = await fundedAccounts(rpc);
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    const polled = new PolledWork(rpc);
    const times = { pushed: [] as number[], polled: [] as number[], full: [] as number[] };
    let work: Work = await rpc.call("mnr_getWork");
    for (let i = 0; i < ROUNDS * BLOCKS; i++) {
      if (i % BLOCKS === 0) {
        // Those of the last round, which are soon dropped, are replaced.
        await fillPool(rpc, accounts, () => GAS_PRICE * 2n ** BigInt(i / BLOCKS));
        if (i === 0) print("pending transactions", Number((await rpc.call("txpool_status")).pending), "transactions");
      }
      const solution = solve(work);
      // Blocks arrive at any time between two polls.
      await sleep(Math.random() * POLL_INTERVAL);
      const arrival = performance.now();
      const { blockHash } = await submit(rpc, "block", solution);
      const [push, poll, full] = await Promise.all([
        pushed.on(blockHash),
        polled.on(blockHash),
        pushed.on(blockHash, ({ feesPaidToMiner }) => feesPaidToMiner !== "0"),
      ]);
      times.pushed.push(push.at - arrival);
      times.polled.push(poll.at - arrival);
      times.full.push(full.at - arrival);
      // Mining the first work, without transactions, keeps the pool as it is.
      work = push.work;
    }
    for (const [name, own] of Object.entries(times)) {
      own.sort((a, b) => a - b);
      const label = name === "full" ? "work with fees, pushed" : `work, ${name}`;
      print(`${label}, p50`, own[Math.floor(own.length / 2)]!, "ms");
      print(`${label}, p99`, own[Math.floor(own.length * 0.99)]!, "ms");
    }
    await pushed.close();
    polled.close();
    await node.stop();
  });
}

class PolledWork extends ArrivingWork {
  private running = true;

  constructor(rpc: RpcClient) {
    super();
    void (async () => {
      while (this.running) {
        this.arrive(await rpc.call("mnr_getWork"));
        await sleep(POLL_INTERVAL);
      }
    })().catch(() => undefined);
  }

  close(): void {
    this.running = false;
  }
}
