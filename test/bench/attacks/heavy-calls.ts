import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { type Attack, post, repeat, type Target } from "./attack.js";

const CONTRACT = `0x${"44".repeat(20)}`;
/** A loop without end. */
const LOOP = "5b5f56";

const rpc = ({ http }: Target) => new RpcClient(`http://127.0.0.1:${http}`, false);

const body = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** `eth_call` of code set by a state override. */
const callOf = (code: string) => body("eth_call", { to: CONTRACT }, "latest", { [CONTRACT]: { code: `0x${code}` } });

/** Words of memory that are all ones, from byte 96 on. */
const ONES = Array.from({ length: 9 }, (_, i) => `5f1961${(96 + 32 * i).toString(16).padStart(4, "0")}52`).join("");
/** Lengths of base, exponent and modulus of MODEXP: 1, 256 and 1 bytes. */
const LENGTHS = "60015f526101006020526001604052";
const LOOP_START = (LENGTHS.length + ONES.length) / 2;

/** Code that calls the precompiled contract with the longest time for its gas, until it is out of gas: seconds. */
const MODEXP_LOOP = `${LENGTHS}${ONES}5b5f5f6101625f5f600561fffff15061${LOOP_START.toString(16).padStart(4, "0")}56`;

/** One call of the pairing check for as many pairs as the gas cap pays for: native code that cannot be interrupted. */
const PAIRING = "5f5f61d8005f5f6008629896005af15000";

/** Mines a transaction with an endless loop; resolves to its hash. */
async function mineLoop(target: Target): Promise<string> {
  const client = rpc(target);
  const [from] = (await client.call("eth_accounts")) as string[];
  const transaction = { from, data: `0x${LOOP}`, gas: "0x5b8d80", gasPrice: "0x3b9aca00" };
  const hash = (await client.call("eth_sendTransaction", transaction)) as string;
  await client.call("evm_mine");
  return hash;
}

/** Keeps expensive transactions pending, and adds one after the other. */
async function fillPool(target: Target, stopped: AbortSignal): Promise<void> {
  const client = rpc(target);
  for (let nonce = 0; !stopped.aborted; nonce++) {
    for (const wallet of DEVELOPERS) {
      const creation = {
        data: `0x${LOOP}`,
        nonce,
        gasLimit: 6_700_000,
        gasPrice: 1_000_000_000n,
        chainId: 33,
        type: 0,
      };
      await client.call("eth_sendRawTransaction", await wallet.signTransaction(creation)).catch(() => undefined);
      await sleep(200);
    }
  }
}

/** Requests that take threads much time. */
export const HEAVY_CALLS: readonly Attack[] = [
  {
    name: "140 endless eth_call",
    run: (target, stopped) => repeat(140, stopped, () => post(target, callOf(MODEXP_LOOP))),
  },
  {
    name: "140 eth_call of native code",
    run: (target, stopped) => repeat(140, stopped, () => post(target, callOf(PAIRING))),
  },
  {
    name: "140 cancelled eth_call",
    run: (target, stopped) =>
      repeat(140, stopped, () => {
        const headers = { "content-type": "application/json" };
        const request = { method: "POST", headers, body: callOf(MODEXP_LOOP), signal: AbortSignal.timeout(50) };
        return fetch(`http://127.0.0.1:${target.http}`, request);
      }),
  },
  {
    name: "40 debug_traceTransaction and trace_filter",
    flags: ["--rpc.modules", "debug,trace"],
    run: async (target, stopped) => {
      const trace = body("debug_traceTransaction", await mineLoop(target));
      const filter = body("trace_filter", { fromBlock: "0x0" });
      await repeat(40, stopped, (index) => post(target, index % 2 === 0 ? trace : filter));
    },
  },
  {
    name: "reads at pending, and 6.7M-gas transactions",
    run: async (target, stopped) => {
      const requests = [
        body("eth_getBalance", CONTRACT, "pending"),
        body("eth_call", { to: CONTRACT }, "pending"),
        body("eth_getBlockByNumber", "pending", true),
      ];
      const reading = repeat(12, stopped, (index) => post(target, requests[index % requests.length]!));
      await Promise.all([fillPool(target, stopped), reading]);
    },
  },
];
