import { NETWORKS } from "@cambium/config";
import { createEvm, type LocalCallOutcome, precompiles } from "@cambium/evm";
import { concatBytes, fromHex, keccak256, leftPad } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, openState } from "@cambium/state";

import { createEVM } from "@ethereumjs/evm";

const SENDER = fromHex("cc".repeat(20));
const CONTRACT = fromHex("aa".repeat(20));
const BLOCK: ExecutingBlock = {
  number: 2000,
  timestamp: 1_700_000_000n,
  parentHash: new Uint8Array(32),
  coinbase: SENDER,
  difficulty: 1n,
  gasLimit: 10_000_000n,
  minimumGasPrice: 0n,
  ancestors: {
    hash: () => undefined,
    header: () => undefined,
    uncles: () => undefined,
    totalDifficulty: () => undefined,
  },
};

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

/** transfer(to, amount) of a token, in the order in which compilers emit it. */
const TOKEN = fromHex(
  [
    "60003560e01c63a9059cbb14601257", // dispatch
    "5f5ffd", // unknown selector
    "5b335f525f60205260405f20", // 12: slot of the caller's balance
    "8054602435", // balance, amount
    "81811115602d57", // enough?
    "5f5ffd",
    "5b809103909155", // 2d: write the caller's balance
    "600435805f5260405f20", // slot of the receiver's balance
    "805483019055",
    "905f5233", // amount to memory, caller
    "7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60205fa3", // Transfer
    "60015f5260205ff3", // true
  ].join(""),
);

function machine(code: Uint8Array, storage: readonly (readonly [bigint, bigint])[] = []) {
  const state = new JournaledState(openState());
  state.createAccount(SENDER);
  state.createAccount(CONTRACT);
  state.markContract(CONTRACT);
  state.setCode(CONTRACT, code);
  for (const [slot, value] of storage) state.setStorage(CONTRACT, slot, value);
  const evm = createEvm({ network: NETWORKS.local, contracts: precompiles });
  return (gasLimit: bigint, data: Uint8Array = new Uint8Array(0)): LocalCallOutcome =>
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

/** Slot of an address in a mapping at slot 0. */
function balanceSlot(address: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(keccak256(concatBytes(leftPad(address, 32), new Uint8Array(32)))).toString("hex")}`);
}

function tokenTransfers(): { perSecond: number; mgas: number } {
  const call = machine(TOKEN, [[balanceSlot(SENDER), 10n ** 24n]]);
  const data = concatBytes(fromHex("a9059cbb"), leftPad(fromHex("bb".repeat(20)), 32), leftPad(Uint8Array.of(1), 32));
  let gasPerCall = 0;
  const mgas = measure(() => {
    let gas = 0;
    for (let i = 0; i < 2000; i++) {
      const outcome = call(200_000n, data);
      if (outcome.status !== 1 || outcome.logs.length !== 1) throw new Error("transfer failed");
      gas += outcome.gasUsed;
    }
    gasPerCall = gas / 2000;
    return gas;
  });
  return { mgas, perSecond: (mgas * 1e6) / gasPerCall };
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

/** Measures the interpreter alone, and with a state, on one core. */
export async function run(print: (name: string, value: number, unit: string, peer?: string) => void): Promise<void> {
  print("tight loop", exhausting(TIGHT_LOOP, 200_000_000), "Mgas/s");
  print("Keccak loop", exhausting(KECCAK_LOOP, 20_000_000), "Mgas/s");
  print("storage loop", exhausting(STORAGE_LOOP, 200_000_000), "Mgas/s");
  const { mgas, perSecond } = tokenTransfers();
  print("token transfer", mgas, "Mgas/s");
  print("token transfers", perSecond, "calls/s");
  print("tight loop", await ethereumjsLoop(TIGHT_LOOP, 20_000_000), "Mgas/s", "@ethereumjs/evm");
}
