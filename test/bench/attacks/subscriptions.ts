import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { RpcClient, sleep } from "@cambium/test-utils/rpc-client";
import { type Attack, hold, post, repeat, type Target, textFrame, UPGRADE } from "./attack.js";

/** Init code that emits 300 empty logs. */
const LOGS = "0x61012c5b5f5fa060019003806003575f5ff3";

const hex = (number: number, bytes: number) => `0x${number.toString(16).padStart(2 * bytes, "0")}`;

const body = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const addresses = (count: number) => Array.from({ length: count }, (_, i) => hex(i, 20));

/** Mines transactions with hundreds of logs, one after the other. */
async function emitLogs({ http }: Target, stopped: AbortSignal): Promise<void> {
  const client = new RpcClient(`http://127.0.0.1:${http}`, false);
  for (let nonce = 0; !stopped.aborted; nonce++) {
    const creation = { data: LOGS, nonce, gasLimit: 300_000, gasPrice: 1_000_000_000n, chainId: 33, type: 0 };
    const wallet = DEVELOPERS[0]!;
    await client.call("eth_sendRawTransaction", await wallet.signTransaction(creation)).catch(() => undefined);
    await client.call("evm_mine").catch(() => undefined);
    await sleep(500);
  }
}

/** Opens a connection with subscriptions, and reads everything that arrives. */
function subscribe({ ws }: Target, count: number, options: object): Promise<void> {
  const frame = textFrame(body("eth_subscribe", "logs", options));
  return hold(ws, UPGRADE, (socket) => {
    socket.resume();
    for (let i = 0; i < count; i++) socket.write(frame);
  });
}

/** Filters and subscriptions with much to compare, or much to send. */
export const SUBSCRIPTIONS: readonly Attack[] = [
  {
    name: "filters of 90 000 addresses",
    run: (target, stopped) => {
      const filter = body("eth_newFilter", { address: addresses(90_000) });
      return repeat(20, stopped, () => post(target, filter));
    },
  },
  {
    name: "filters of 1 000 addresses in masses",
    run: (target, stopped) => {
      const filter = body("eth_newFilter", { address: addresses(1_000) });
      return repeat(20, stopped, () => post(target, filter));
    },
  },
  {
    name: "2 000 subscriptions of 1 000 topics, and 300 logs",
    run: async (target, stopped) => {
      const options = { topics: [Array.from({ length: 1_000 }, (_, i) => hex(i, 32))] };
      await Promise.all([repeat(20, stopped, () => subscribe(target, 100, options)), emitLogs(target, stopped)]);
    },
  },
  {
    name: "2 000 subscriptions of all logs, and 300 logs",
    run: async (target, stopped) => {
      await Promise.all([repeat(20, stopped, () => subscribe(target, 100, {})), emitLogs(target, stopped)]);
    },
  },
];
