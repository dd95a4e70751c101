import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { PAIRINGS } from "@cambium/test-utils/slow-code";
import { fundedAccounts, PushedWork, sendAll } from "./mining/pool-of-transfers.js";
import { ROUNDS, workAfterBlocks } from "./mining/work-after-blocks.js";

type Print = (name: string, value: number, unit: string) => void;

/** Gas limit of blocks, and maximum gas limit of a transaction in their lists. */
const GAS_LIMIT = 30_000_000;
const SLOW_GAS = 10_000_000;

/**
 * Measures the time from the arrival of a block at a node with 5,000 pending transfers until it pushes work that builds
 * on it. The pool has no other transactions, or also slow transactions of hundreds of accounts, which offer more for
 * their gas.
 */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const flags = ["--network", "local", "--data-dir", folder, ...THREADED, "--miner.gas-limit", String(GAS_LIMIT)];
    const node = await startNode(...flags);
    const rpc = new RpcClient(node.url, false);
    await rpc.call("evm_setBlockGasLimit", `0x${GAS_LIMIT.toString(16)}`);
    const attackers = await fundedAccounts(rpc, "attacker");
    const each = Math.floor(attackers.length / ROUNDS);
    const poison = async (round: number, gasPrice: bigint) => {
      const fields = { nonce: 0, data: PAIRINGS, gasLimit: SLOW_GAS, gasPrice: 2n * gasPrice, chainId: 33, type: 0 };
      const own = attackers.slice(round * each, (round + 1) * each);
      await sendAll(rpc, await Promise.all(own.map((attacker) => attacker.signTransaction(fields))));
    };
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    const named =
      (title: string): Print =>
      (name, ...figure) =>
        print(`${title}: ${name}`, ...figure);
    await workAfterBlocks(node.url, named("honest pool"), pushed);
    const filling = { accounts: "work beside slow transactions", add: poison };
    await workAfterBlocks(node.url, named(`${each} slow transactions every nine blocks`), pushed, filling);
    await pushed.close();
    await node.stop();
  });
}
