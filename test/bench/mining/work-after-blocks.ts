import { solve, type Work } from "@cambium/test-utils/clients/mining-client";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { type ArrivingWork, fillPool, fundedAccounts, PolledWork, submitSolution } from "./pool-of-transfers.js";

type Print = (name: string, value: number, unit: string) => void;

/** Number of blocks after which pending transactions are dropped (`spec/08`), minus one. */
const BLOCKS = 9;
/** Milliseconds between two requests of a miner that polls. */
export const POLL_INTERVAL = 100;
/**
 * Milliseconds between two requests to a node that does not push work, so few that a miner has work almost immediately.
 */
const AT_ONCE = 5;
const GAS_PRICE = 1_000_000_000n;

/** Content of the pool. */
export interface Filling {
  /** Name of the accounts of the transfers; they must be new. */
  accounts: string;
  /** Number of times that the pool is filled, each time for nine blocks. */
  rounds: number;
  /** Sends further transactions after each round of transfers, which have this gas price. */
  add(round: number, gasPrice: bigint): Promise<void>;
}

const TRANSFERS: Filling = { accounts: "work", rounds: 4, add: async () => undefined };

/**
 * Measures the time from the arrival of a block at a node with 5,000 pending transactions until a miner has work that
 * builds on it. The node pushes work, or is polled all the time because it does not. A second miner polls every 100 ms.
 * Returns the former time, in milliseconds.
 */
export async function workAfterBlocks(
  url: string,
  print: Print,
  pushed?: ArrivingWork,
  filling = TRANSFERS,
): Promise<number[]> {
  const rpc = new RpcClient(url, false);
  const accounts = await fundedAccounts(rpc, filling.accounts);
  const asked = pushed === undefined ? new PolledWork(rpc, AT_ONCE) : undefined;
  const early = pushed ?? asked!;
  const polled = new PolledWork(rpc, POLL_INTERVAL);
  const times = { early: [] as number[], polled: [] as number[], full: [] as number[] };
  let work: Work = await rpc.call("mnr_getWork");
  for (let i = 0; i < filling.rounds * BLOCKS; i++) {
    if (i % BLOCKS === 0) {
      // Transactions of the last round, which are soon dropped, are replaced: this takes a price that is 40 % higher.
      const round = BigInt(i / BLOCKS);
      const gasPrice = (GAS_PRICE * 3n ** round) / 2n ** round;
      await fillPool(rpc, accounts, () => gasPrice);
      await filling.add(i / BLOCKS, gasPrice);
      if (i === 0) print("pending transactions", Number((await rpc.call("txpool_status")).pending), "transactions");
    }
    const solution = solve(work);
    // Blocks arrive at any time between two polls.
    await sleep(Math.random() * POLL_INTERVAL);
    const arrival = performance.now();
    const { blockHash } = await submitSolution(rpc, solution);
    const [first, poll, full] = await Promise.all([
      early.on(blockHash),
      polled.on(blockHash),
      early.on(blockHash, ({ feesPaidToMiner }) => feesPaidToMiner !== "0"),
    ]);
    times.early.push(first.at - arrival);
    times.polled.push(poll.at - arrival);
    times.full.push(full.at - arrival);
    // Mining the first work leaves the pool unchanged, if that work has no transactions.
    work = first.work;
  }
  const how = pushed === undefined ? "asked for all the time" : "pushed";
  const labels = { early: `work, ${how}`, polled: "work, polled", full: `work with fees, ${how}` };
  for (const [name, own] of Object.entries(times)) {
    own.sort((a, b) => a - b);
    const label = labels[name as keyof typeof labels];
    print(`${label}, p50`, own[Math.floor(own.length / 2)]!, "ms");
    print(`${label}, p99`, own[Math.floor(own.length * 0.99)]!, "ms");
  }
  asked?.close();
  polled.close();
  return times.early;
}
