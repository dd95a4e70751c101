import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { runCli, withFolder } from "@cambium/test-utils/node-cli";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { sleep, until } from "@cambium/test-utils/rpc-client";
import { longChainFiles } from "@cambium/test-utils/vectors";

type Print = (name: string, value: number, unit: string) => void;

const LINE = 5;
const BLOCKS = 10;
/** Number of zero bytes in a transaction: such transactions make a block of a mebibyte within the gas limit. */
const DATA_BYTES = 116_500;
const TRANSACTIONS = 9;

/** Measures the overhead of the network: synchronisation compared with import, and propagation of a large block. */
export async function run(print: Print): Promise<void> {
  await synchronisation(print);
  await propagation(print);
}

async function synchronisation(print: Print): Promise<void> {
  const files = longChainFiles();
  if (files === undefined) return console.log("peers: synchronisation skipped, its vectors are outside the repository");
  await withFolder(async (folder) => {
    const flags = ["--network", "local", "--data-dir", nodeFolder(folder, 0), "--json"];
    const imported = await runCli("import", ...(files as string[]), ...flags);
    const fromFile: number = JSON.parse(imported.stdout).blocksPerSecond;
    const server = await startPeerNode(nodeFolder(folder, 0), []);
    const target = await bestOf(server);
    const fresh = await startPeerNode(nodeFolder(folder, 1), [server.address]);
    let first = 0;
    while (first === 0) first = await heightOf(fresh);
    const start = performance.now();
    while ((await heightOf(fresh)) < target.number);
    const rate = (target.number - first) / ((performance.now() - start) / 1000);
    print("import from file", fromFile, "blocks/s");
    print("synchronisation from one peer", rate, "blocks/s");
    print("synchronisation to import", rate / fromFile, "ratio");
    for (const { node } of [fresh, server]) await node.stop();
  });
}

/** Returns the height. Poll rarely, since responses take time of the measured node. */
async function heightOf({ rpc }: PeerNode): Promise<number> {
  await sleep(100);
  return Number(await rpc.call("eth_blockNumber"));
}

/**
 * Measures the time from the miner's response to the last node of a line, in which every node validates a block before
 * relaying it.
 */
async function propagation(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const line: PeerNode[] = [];
    for (let i = 0; i < LINE; i++) {
      line.push(await startPeerNode(nodeFolder(folder, i), i === 0 ? [] : [line[i - 1]!.address]));
    }
    await sleep(3000);
    const times: number[] = [];
    for (let block = 0; block < BLOCKS; block++) {
      // Lets the senders' rate limits recover.
      await sleep(1000);
      for (let i = 0; i < TRANSACTIONS; i++) await sendZeros(line[0]!, i, block);
      await line[0]!.rpc.call("evm_mine");
      const start = performance.now();
      const { hash } = await bestOf(line[0]!);
      await until(async () => (await bestOf(line.at(-1)!)).hash === hash);
      times.push(performance.now() - start);
    }
    const size = Number((await line[0]!.rpc.call("eth_getBlockByNumber", "latest", false)).size);
    times.sort((a, b) => a - b);
    print("size of the block", size / 2 ** 20, "MiB");
    print(`block over a line of ${LINE} nodes, median`, times[BLOCKS >> 1]!, "ms");
    print(`block over a line of ${LINE} nodes, longest`, times.at(-1)!, "ms");
    for (const { node } of line) await node.stop();
  });
}

async function sendZeros({ rpc }: PeerNode, sender: number, nonce: number): Promise<void> {
  const transaction = {
    to: DEVELOPERS[0]!.address,
    data: `0x${"00".repeat(DATA_BYTES)}`,
    nonce,
    gasLimit: 600_000n,
    gasPrice: 1_000_000_000n,
    chainId: 33n,
    type: 0,
  };
  await rpc.call("eth_sendRawTransaction", await DEVELOPERS[sender]!.signTransaction(transaction));
}
