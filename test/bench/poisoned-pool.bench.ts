import { toHex } from "@cambium/primitives";
import { startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { PAIRINGS } from "@cambium/test-utils/slow-code";
import type { Wallet } from "ethers";
import { fundedAccounts, PushedWork, sendAll } from "./mining/pool-of-transfers.js";
import { workAfterBlocks } from "./mining/work-after-blocks.js";
import { nativeRows } from "./worst-blocks/natives.js";
import type { Row } from "./worst-blocks/opcodes.js";
import { precompileRows } from "./worst-blocks/precompiles.js";
import { compile } from "./worst-blocks/program.js";

type Print = (name: string, value: number, unit: string) => void;

/** Gas limit of blocks, and maximum gas limit of a transaction in their lists. */
const GAS_LIMIT = 30_000_000;
const SLOW_GAS = 10_000_000;

/** Rounds of nine blocks: more than a hundred blocks. */
const ROUNDS = 12;
const SLOW_EACH_ROUND = 125;

/** Maximum length of init code, in bytes: longer data would use up the gas. */
const LONGEST_CODE = 8_192;
/** Init code that jumps in a loop until it is out of gas. */
const LOOP = "0x5b600056";
/** Text in the names of the contracts, native ones included, that take long for their gas. */
const SLOW_CONTRACTS = ["getMultisigScriptHash", "long text", "BN128", "MODEXP", "SECP256K1"];

/**
 * Measures the time from the arrival of a block at a node with 5,000 pending transfers until it pushes work that builds
 * on it. The pool has no other transactions, or also slow transactions of hundreds of accounts, which offer more for
 * their gas: loops, precompiled contracts, and calls of native contracts with a megabyte of arguments.
 */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const flags = ["--network", "local", "--data-dir", folder, ...THREADED, "--miner.gas-limit", String(GAS_LIMIT)];
    const node = await startNode(...flags);
    const rpc = new RpcClient(node.url, false);
    await rpc.call("evm_setBlockGasLimit", `0x${GAS_LIMIT.toString(16)}`);
    const attackers: Wallet[] = [];
    while (attackers.length < ROUNDS * SLOW_EACH_ROUND) {
      attackers.push(...(await fundedAccounts(rpc, `attacker ${attackers.length}`)));
    }
    const programs = slowPrograms();
    const poison = async (round: number, gasPrice: bigint) => {
      const first = round * SLOW_EACH_ROUND;
      const signed = attackers.slice(first, first + SLOW_EACH_ROUND).map((attacker, i) => {
        const data = programs[(first + i) % programs.length]!;
        const own = { nonce: 0, data, gasLimit: SLOW_GAS, gasPrice: gasPrice + 1n };
        return attacker.signTransaction({ ...own, chainId: 33, type: 0 });
      });
      await sendAll(rpc, await Promise.all(signed));
    };
    const pushed = await PushedWork.subscribe(node.wsUrl!);
    const named =
      (title: string): Print =>
      (name, ...figure) =>
        print(`${title}: ${name}`, ...figure);
    await workAfterBlocks(node.url, named("honest pool"), pushed);
    const filling = { accounts: "slow transactions", rounds: ROUNDS, add: poison };
    await workAfterBlocks(node.url, named(`${SLOW_EACH_ROUND} slow transactions every nine blocks`), pushed, filling);
    await pushed.close();
    await node.stop();
  });
}

/** Returns init codes as hex: half of them compute pairings, the others are of all kinds in turn. */
function slowPrograms(): string[] {
  const isSlow = ({ name }: Row) => SLOW_CONTRACTS.some((text) => name.includes(text));
  const calls = [...precompileRows(), ...nativeRows()].filter(isSlow).flatMap(({ programs }) => programs);
  const codes = calls
    .map((program) => (program instanceof Uint8Array ? program : compile(program)))
    .filter(({ length }) => length <= LONGEST_CODE)
    .map((code) => `0x${toHex(code)}`);
  return [LOOP, ...codes].flatMap((code) => [PAIRINGS, code]);
}
