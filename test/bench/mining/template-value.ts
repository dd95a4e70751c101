import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { BlockBuilder } from "@cambium/miner";
import { keccak256, utf8 } from "@cambium/primitives";
import { solve, type Work } from "@cambium/test-utils/clients/mining-client";
import { random } from "@cambium/test-utils/random";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { orderForBlock } from "@cambium/txpool";
import { signTransaction, type Transaction } from "@cambium/types";
import {
  type Arrival,
  type ArrivingWork,
  fillPool,
  fundedAccounts,
  PolledWork,
  submitSolution,
} from "./pool-of-transfers.js";

type Print = (name: string, value: number, unit: string) => void;

/** Milliseconds after a block's arrival at which the fees of the work are compared. */
const MOMENTS = [0, 100, 500, 2_000];
const LAST = 4_000;
const ROUNDS = 3;
/** Milliseconds between two requests to a node that does not push work. */
const AT_ONCE = 5;

/**
 * Measures the fees of a miner's work some time after a block. The pool has 5,000 pending transactions at prices
 * between 1 and 100, the same at each node. Returns means in units of 10^12 wei, by moment, and of the maximum that was
 * served.
 */
export async function valueOverTime(url: string, pushed?: ArrivingWork): Promise<number[]> {
  const rpc = new RpcClient(url, false);
  const chance = below(1);
  const accounts = await fundedAccounts(rpc, "value");
  const polled = pushed === undefined ? new PolledWork(rpc, AT_ONCE) : undefined;
  const arriving = pushed ?? polled!;
  const means = [...MOMENTS, LAST].map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    while (Number((await rpc.call("txpool_status")).pending) > 0) await rpc.call("evm_mine");
    // An empty block, so that the pools of all nodes keep their transactions.
    const empty: Work = await rpc.call("mnr_getWork");
    if (empty.feesPaidToMiner !== "0") throw new Error("the first work has transactions");
    await fillPool(rpc, accounts, () => BigInt(1 + chance(100)) * 10n ** 7n);
    const arrival = performance.now();
    const { blockHash } = await submitSolution(rpc, solve(empty));
    const first = await arriving.on(blockHash);
    await sleep(LAST - (performance.now() - arrival));
    const served = arriving.allOn(blockHash);
    const fees = ({ work: { feesPaidToMiner } }: Arrival) => Number(feesPaidToMiner) / 1e12 / ROUNDS;
    for (const [i, moment] of MOMENTS.entries()) {
      const since = Math.max(arrival + moment, first.at);
      means[i]! += fees(served.filter(({ at }) => at <= since).at(-1)!);
    }
    means[MOMENTS.length]! += Math.max(...served.map(fees));
  }
  polled?.close();
  return means;
}

export const VALUE_LABELS = [...MOMENTS.map((moment) => `${moment} ms after a block`), "most"];

const SENDERS = ["cow", "cow1", "cow2", "cow3"];
const POOLS = 60;
const POOL_SIZE = 6;
const NOW = 1_700_000_000;

/**
 * Measures the fees of templates from small pools that do not fit in a block, next to the best of all orders of their
 * transactions.
 */
export async function valueBesideAllOrders(print: Print): Promise<void> {
  const network: NetworkConfig = NETWORKS.local;
  const chain = await openChain({ network, database: new MemoryDatabase(), now: () => NOW });
  const chance = below(2);
  let [sum, least, best] = [0, 1, 0];
  for (let pool = 0; pool < POOLS; pool++) {
    const groups = randomPool(chance);
    const entries = groups.map((group) => group.map((transaction) => ({ transaction, arrival: 0 })));
    const own = feesOf(
      chain,
      orderForBlock(entries).map(({ transaction }) => transaction),
    );
    const all = [...orders(groups)].map((order) => feesOf(chain, order));
    const share = Number(own) / Number(all.reduce((a, b) => (a > b ? a : b)));
    sum += share;
    least = Math.min(least, share);
    if (share === 1) best++;
  }
  print(`fees of templates from pools of ${POOL_SIZE}, mean`, (sum / POOLS) * 100, "% of the best order's");
  print("least", least * 100, "% of the best order's");
  print("as much as the best order", (best / POOLS) * 100, "% of pools");
}

/** Returns transactions by sender, in the order of their nonces, with gas limits of which only some fit in a block. */
function randomPool(chance: (below: number) => number): Transaction[][] {
  const groups = new Map<string, Transaction[]>();
  for (let i = 0; i < POOL_SIZE; i++) {
    const sender = SENDERS[chance(SENDERS.length)]!;
    const group = groups.get(sender) ?? [];
    groups.set(sender, group);
    const gasPrice = BigInt(1 + chance(20));
    const gasLimit = BigInt(500_000 + chance(3_000_000));
    // Init code that uses all of its gas.
    const data = Uint8Array.of(0xfe);
    const nonce = BigInt(group.length);
    group.push(signTransaction({ nonce, gasPrice, gasLimit, data }, keccak256(utf8(sender))));
  }
  return [...groups.values()];
}

/** Yields all orders that keep the order of each sender's transactions. */
function* orders(groups: readonly (readonly Transaction[])[]): Generator<Transaction[]> {
  if (groups.every((group) => group.length === 0)) yield [];
  for (const [i, [first, ...rest]] of groups.entries()) {
    if (first === undefined) continue;
    for (const later of orders(groups.with(i, rest))) yield [first, ...later];
  }
}

function feesOf(chain: Chain, ordered: readonly Transaction[]): bigint {
  const pool = { ordered: () => ordered, evict: () => undefined };
  const builder = new BlockBuilder(
    { chain, pool, now: () => NOW * 1000 },
    { rewardAddress: new Uint8Array(20).fill(1), identity: "BENCH", timeBudget: 60_000 },
  );
  return builder.build().header.paidFees;
}

/** Random whole numbers below a limit. */
function below(seed: number): (limit: number) => number {
  const next = random(seed);
  return (limit) => Math.floor(next() * limit);
}
