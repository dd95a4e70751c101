import { NETWORKS } from "@cambium/config";
import { createEvm, type LocalCallOutcome, precompiles } from "@cambium/evm";
import { fromHex } from "@cambium/primitives";
import { JournaledState, openState } from "@cambium/state";

import { createEVM } from "@ethereumjs/evm";
import { BLOCK, hotContracts } from "./interpreter/hot-contracts.js";

const SENDER = fromHex("cc".repeat(20));
const CONTRACT = fromHex("aa".repeat(20));
/** Code that repeats `body` until it is out of gas, with a loop counter on the stack. */
function loop(body: string): Uint8Array {
  // PUSH4 7fffffff, JUMPDEST, body, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 5, JUMPI
  return fromHex(`637fffffff5b${body}6001900380600557`);
}

const TIGHT_LOOP = loop("");
/** KECCAK256 of 64 bytes of memory, written back to its first word. */
const KECCAK_LOOP = loop("6040600020600052");
/** Code that reads slot 0, adds 1, and writes it back. */
const STORAGE_LOOP = loop("600054600101600055");

function machine(code: Uint8Array) {
  const state = new JournaledState(openState());
  state.createAccount(SENDER);
  state.createAccount(CONTRACT);
  state.markContract(CONTRACT);
  state.setCode(CONTRACT, code);
  const evm = createEvm({ network: NETWORKS.local, contracts: precompiles });
  const data = new Uint8Array(0);
  return (gasLimit: bigint): LocalCallOutcome =>
    evm.call({ from: SENDER, to: CONTRACT, data, value: 0n, gasPrice: 0n, gasLimit }, BLOCK, state);
}

/** Returns gas per microsecond, that is Mgas/s, in the best of several rounds. */
function measure(execute: () => number, rounds = 7): number {
  let best = 0;
  for (let i = 0; i < rounds; i++) {
    const start = performance.now();
    const gas = execute();
    best = Math.max(best, gas / 1000 / (performance.now() - start));
  }
  return best;
}

function exhausting(code: Uint8Array, gas: number): number {
  const call = machine(code);
  return measure(() => {
    const outcome = call(BigInt(gas));
    if (outcome.exception?.kind !== "out-of-gas") throw new Error(`loop ended by ${outcome.exception?.message}`);
    return gas;
  });
}

/** Calls of hot contracts: rounds, each with a batch of calls of every contract, so that other programs disturb all. */
const [ROUNDS, CALLS] = [15, 500];

/** Prints the least processor time of a call, and the gas by that time. */
async function measureHotContracts(print: Print): Promise<void> {
  const { calls, run } = await hotContracts();
  const best = calls.map((call) => ({ call, time: Number.POSITIVE_INFINITY, gas: 0 }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const entry of best) {
      const start = process.cpuUsage();
      for (let i = 0; i < CALLS; i++) entry.gas = run(entry.call).gasUsed;
      const { user, system } = process.cpuUsage(start);
      entry.time = Math.min(entry.time, (user + system) / CALLS);
    }
  }
  for (const { call, time, gas } of best) {
    print(call.name, time, "µs");
    print(`${call.name}, gas`, gas / time, "gas/µs");
  }
}

async function ethereumjsLoop(code: Uint8Array, gas: number): Promise<number> {
  const evm = await createEVM();
  let best = 0;
  for (let i = 0; i < 3; i++) {
    const start = performance.now();
    await evm.runCode({ code, gasLimit: BigInt(gas) });
    best = Math.max(best, gas / 1000 / (performance.now() - start));
  }
  return best;
}

type Print = (name: string, value: number, unit: string, peer?: string) => void;

/** Measures the interpreter alone in tight loops, and calls of hot contracts with a state, on one core. */
export async function run(print: Print): Promise<void> {
  print("tight loop", exhausting(TIGHT_LOOP, 100_000_000), "Mgas/s");
  print("Keccak loop", exhausting(KECCAK_LOOP, 10_000_000), "Mgas/s");
  print("storage loop", exhausting(STORAGE_LOOP, 100_000_000), "Mgas/s");
  print("tight loop", await ethereumjsLoop(TIGHT_LOOP, 20_000_000), "Mgas/s", "@ethereumjs/evm");
  await measureHotContracts(print);
}
