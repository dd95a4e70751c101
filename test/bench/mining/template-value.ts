import { type Chain, openChain } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { MemoryDatabase } from "@cambium/database";
import { BlockBuilder } from "@cambium/miner";
import { keccak256, utf8 } from "@cambium/primitives";
import { solve, submit, type Work } from "@cambium/test-utils/mining-client";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { random } from "@cambium/test-utils/random";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { orderForBlock } from "@cambium/txpool";
import { signTransaction, type Transaction } from "@cambium/types";
import { type Arrival, fillPool, fundedAccounts, PushedWork } from "./pool-of-transfers.js";

type Print = (name: string, value: number, unit: string) => void;

/** Milliseconds after a block's arrival at which the fees of the work are compared. */
const MOMENTS = [0, 100, 500, 2_000];
const LAST = 4_000;
const BLOCKS = 6;

/** Fees of a miner's work some time after a block, with 5,000 transactions pending at prices between 1 and 100. */
export async function valueOverTime(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder, ...THREADED);
    const rpc = new RpcClient(node.url, false);
    const chance = below(1);
    const accounts = await fundedAccounts(rpc);
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    await fillPool(rpc, accounts, () => BigInt(1 + chance(100)) * 10n ** 7n);
    const shares = MOMENTS.map(() => 0);
    let work: Work = await rpc.call("mnr_getWork");
    for (let block = 0; block < BLOCKS; block++) {
      const solution = solve(work);
      const arrival = performance.now();
      const { blockHash } = await submit(rpc, "block", solution);
      const first = await pushed.on(blockHash);
      await sleep(LAST - (performance.now() - arrival));
      const served = pushed.allOn(blockHash);
      const fees = ({ work: { feesPaidToMiner } }: Arrival) => Number(feesPaidToMiner);
      const most = Math.max(...served.map(fees));
      for (const [i, moment] of MOMENTS.entries()) {
        const since = Math.max(arrival + moment, first.at);
        const latest = served.filter(({ at }) => at <= since).at(-1)!;
        shares[i]! += fees(latest) / most / BLOCKS;
      }
      // The first work, without transactions, keeps the pool as it is.
      work = first.work;
    }
    for (const [i, moment] of MOMENTS.entries()) {
      print(`fees of the work ${moment} ms after a block`, shares[i]! * 100, "% of the most");
    }
    await pushed.close();
    await node.stop();
  });
}

const SENDERS = ["cow", "cow1", "cow2", "cow3"];
const POOLS = 60;
const POOL_SIZE = 6;
const NOW = 1_700_000_000;

/** Fees of templates from small pools that a block has no room for, beside the best of all orders of their transactions. */
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

/** Transactions by sender, in the order of their nonces, with gas limits of which a block has room for some. */
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

/** All orders that keep the order of each sender's transactions. */
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
