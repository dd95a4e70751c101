import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";

type Print = (name: string, value: number, unit: string) => void;

const REQUESTS = 2000;
/** Init code that runs until it is out of gas. */
const LOOP = "0x5b600056";
const GAS = 2_000_000;
const NEIGHBOUR = `0x${"11".repeat(20)}`;

/**
 * Effect of expensive pending transactions on light requests: the latency of `eth_blockNumber` on an idle node, and on one
 * whose pool changes while other clients read the pending state.
 */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const node = await startNode("--network", "local", "--data-dir", folder);
    const rpc = new RpcClient(node.url);
    const read = () => rpc.call("eth_getBalance", NEIGHBOUR, "pending").catch(() => undefined);
    await read();
    const idle = await percentile99(rpc);
    let running = true;
    const load = (async () => {
      for (const wallet of DEVELOPERS) {
        const creation = { data: LOOP, nonce: 0, gasLimit: GAS, gasPrice: 1_000_000_000n, chainId: 33, type: 0 };
        await rpc.call("eth_sendRawTransaction", await wallet.signTransaction(creation));
        if (running) await Promise.all([read(), read()]);
      }
      while (running) await read();
    })();
    const loaded = await percentile99(rpc);
    running = false;
    await load;
    print("eth_blockNumber on an idle node, p99", idle, "ms");
    print("eth_blockNumber while pending transactions are read, p99", loaded, "ms");
    print("ratio of the two", loaded / idle, "");
    await node.stop();
  });
}

/** Latency of consecutive requests in milliseconds. */
async function percentile99(rpc: RpcClient): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const start = performance.now();
    await rpc.call("eth_blockNumber");
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(REQUESTS * 0.99)]!;
}
