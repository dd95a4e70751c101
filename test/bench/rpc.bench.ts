import { availableParallelism } from "node:os";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { outsideVectorPath } from "@cambium/test-utils/vectors";
import { ask, type MeasuredRequest, request, requestsFor } from "./rpc/endpoint-requests.js";
import { load, RepeatedRequest, requestBytes } from "./rpc/http-load.js";

type Print = (name: string, value: number, unit: string, peer?: string) => void;

const CONNECTIONS = 50;
/** Number of connections for light requests, in a second measurement. */
const MANY_CONNECTIONS = 500;

/**
 * Measures JSON-RPC over HTTP: a node in a separate process, with a recorded chain if it is available, then each of the
 * endpoints in `against`.
 */
export async function run(print: Print, { against = [] }: { against?: readonly string[] } = {}): Promise<void> {
  await withFolder(async (folder) => {
    const options = ["--network", "local", "--data-dir", folder];
    const blockFile = outsideVectorPath("chains", "long.blocks.1.txt.gz");
    if (blockFile !== undefined) await runCli("import", blockFile, ...options);
    const node = await startNode(...options, "--rpc.modules", "debug");
    const url = new URL(node.url);
    await benchEndpoint(url, print);
    for (const other of against)
      await benchEndpoint(new URL(other), (name, value, unit) => print(name, value, unit, other));
    await benchBesideTraces(url, print);
    await node.stop();
    await benchReaders(options, print);
  });
}

/**
 * Sends light requests to nodes with increasing numbers of reader threads. Their rate grows as long as the load and the
 * threads have cores.
 */
async function benchReaders(options: readonly string[], print: Print): Promise<void> {
  for (let readers = 0; readers <= availableParallelism(); readers++) {
    const node = await startNode(...options, "--rpc.readers", String(readers));
    const url = new URL(node.url);
    const [account] = await ask(url, "eth_accounts", []);
    const body = request("eth_getBalance", [account, "latest"]);
    await benchRequest(url, { name: `eth_getBalance, ${readers} readers`, body }, CONNECTIONS, print);
    await node.stop();
  }
}

async function benchEndpoint(url: URL, print: Print): Promise<void> {
  for (const measured of await requestsFor(url)) {
    await benchRequest(url, measured, CONNECTIONS, print);
    if (measured.isLight) await benchRequest(url, measured, MANY_CONNECTIONS, print);
  }
}

async function benchRequest(
  url: URL,
  { name, body }: MeasuredRequest,
  connections: number,
  print: Print,
): Promise<void> {
  const { rate, p99 } = await load(url, body, connections);
  print(`${name}, ${connections} connections`, rate, "requests/s");
  print(`${name}, ${connections} connections, p99`, p99, "ms");
}

/** Init code that loops until it is out of gas. */
const ENDLESS_LOOP = "0x5b600056";

/** Mines a transaction with an endless loop. */
async function heavyTransaction(url: URL, gas: number): Promise<string> {
  const [from] = await ask(url, "eth_accounts", []);
  const transaction = { from, data: ENDLESS_LOOP, gas: `0x${gas.toString(16)}`, gasPrice: "0x3b9aca00" };
  const hash = await ask(url, "eth_sendTransaction", [transaction]);
  await ask(url, "evm_mine", []);
  const { status } = await ask(url, "eth_getTransactionReceipt", [hash]);
  if (status !== "0x0") throw new Error(`the endless loop ended with ${status}`);
  return hash;
}

/** Sends light requests without and with a client that requests one heavy trace after the other. */
async function benchBesideTraces(url: URL, print: Print): Promise<void> {
  const [account] = await ask(url, "eth_accounts", []);
  const light = { name: "eth_getBalance", body: request("eth_getBalance", [account, "latest"]) };
  const heavies: readonly [string, string, object][] = [
    ["a call with 6 million gas", await heavyTransaction(url, 6_000_000), { tracer: "callTracer" }],
    ["100,000 steps", await heavyTransaction(url, 450_000), { disableStack: true, disableMemory: true }],
  ];
  await benchRequest(url, { ...light, name: "eth_getBalance alone" }, CONNECTIONS, print);
  for (const [name, hash, options] of heavies) {
    const times: number[] = [];
    const trace = requestBytes(url, request("debug_traceTransaction", [hash, options]));
    const traces = new RepeatedRequest(url, trace, (milliseconds) => times.push(milliseconds));
    const duringTraces = { ...light, name: `eth_getBalance during traces of ${name}` };
    await benchRequest(url, duringTraces, CONNECTIONS, print);
    traces.stop();
    print(
      `debug_traceTransaction of ${name}, during these requests`,
      times.reduce((a, b) => a + b, 0) / times.length,
      "ms",
    );
  }
}
