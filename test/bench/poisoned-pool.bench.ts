import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { fundedAccounts, PushedWork, sendAll } from "./mining/pool-of-transfers.js";
import { ROUNDS, workAfterBlocks } from "./mining/work-after-blocks.js";

type Print = (name: string, value: number, unit: string) => void;

/** Gas limit of blocks, and the highest one of a transaction in their lists. */
const GAS_LIMIT = 30_000_000;
const SLOW_GAS = 10_000_000;
/** A point of each group of alt_bn128: the generators. */
const POINTS = [
  ...["1", "2"],
  "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2",
  "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed",
  "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b",
  "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
];
/** Creation code that copies the points behind it to its memory, and computes pairings of them until it is out of gas: takes seconds. */
const PAIRINGS = `0x60c06015600039${"5b5f5f60c05f60085afa506007"}56${POINTS.map((word) => word.padStart(64, "0")).join("")}`;

/**
 * Time from the arrival of a block at a node with 5,000 pending transfers until it pushes work that builds on it: without others in the pool, and
 * beside slow transactions of hundreds of accounts, which offer more for their gas.
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
