import { connect, type Socket } from "node:net";
import { runCli, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { outsideVectorPath } from "@cambium/test-utils/vectors";

type Print = (name: string, value: number, unit: string) => void;

const CONNECTIONS = 50;
const WARM_UP_SECONDS = 1;
const SECONDS = 4;

/** An account of the local network's genesis. */
const ACCOUNT = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";

/** keccak of `Transfer(address,address,uint256)`, and the selector of `balanceOf(address)`. */
const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const BALANCE_OF = "0x70a08231";

/** Any JSON value. */
type Json = ReturnType<typeof JSON.parse>;

interface Request {
  name: string;
  method: string;
  params: unknown[];
}

const REQUESTS: readonly Request[] = [
  { name: "eth_blockNumber", method: "eth_blockNumber", params: [] },
  { name: "eth_getBalance", method: "eth_getBalance", params: [ACCOUNT, "latest"] },
  { name: "eth_getBlockByNumber, hashes", method: "eth_getBlockByNumber", params: ["latest", false] },
];

/** A request as bytes: with an HTTP library the client would be slower than what it measures. */
function requestBytes(method: string, params: unknown[]): Buffer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const head = `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** Length of a whole response at the start of `text`, or undefined while its head is incomplete. */
function responseLength(text: string): number | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  if (!text.startsWith("HTTP/1.1 200")) throw new Error(text.slice(0, 200));
  return headEnd + 4 + Number(/content-length: (\d+)/i.exec(text)![1]);
}

/** Leading bytes of a response that show whether it is an error. */
const START_BYTES = 1_000;

/**
 * Repeats a request as soon as its response arrives, until the connection closes. Keeps only the start of responses.
 */
function askForever(socket: Socket, request: Buffer, onAnswer: () => void): void {
  let [start, received]: [string, number] = ["", 0];
  let length: number | undefined;
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    received += chunk.length;
    if (start.length < START_BYTES) start += chunk;
    length ??= responseLength(start);
    if (length === undefined || received < length) return;
    if (!start.includes('"result"')) throw new Error(start.slice(0, START_BYTES));
    onAnswer();
    [start, received, length] = ["", 0, undefined];
    socket.write(request);
  });
  socket.write(request);
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

interface Load {
  /** Responses per second. */
  rate: number;
  /** 99th percentile of the latency in milliseconds. */
  p99: number;
}

/** Measures keep-alive connections with one in-flight request each. */
async function load(port: number, request: Buffer): Promise<Load> {
  let times: number[] = [];
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, "127.0.0.1").setNoDelay());
  for (const socket of sockets) {
    let asked = performance.now();
    askForever(socket, request, () => {
      const now = performance.now();
      times.push(now - asked);
      asked = now;
    });
  }
  // Threads for calls start with the first call.
  do await pause(WARM_UP_SECONDS);
  while (times.length < CONNECTIONS);
  times = [];
  const start = performance.now();
  await pause(SECONDS);
  const rate = (times.length * 1000) / (performance.now() - start);
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  return { rate, p99: times[Math.floor(times.length * 0.99)]! };
}

async function benchRequest(port: number, { name, method, params }: Request, print: Print): Promise<void> {
  const { rate, p99 } = await load(port, requestBytes(method, params));
  print(`${name}, ${CONNECTIONS} connections`, rate, "requests/s");
  print(`${name}, p99`, p99, "ms");
}

/** Init code that loops until it is out of gas. */
const ENDLESS_LOOP = "0x5b600056";

/** Mines a transaction with an endless loop. */
async function heavyTransaction(url: string, gas: number): Promise<string> {
  const [from] = await ask(url, "eth_accounts", []);
  const transaction = { from, data: ENDLESS_LOOP, gas: `0x${gas.toString(16)}`, gasPrice: "0x3b9aca00" };
  const hash = await ask(url, "eth_sendTransaction", [transaction]);
  await ask(url, "evm_mine", []);
  const { status } = await ask(url, "eth_getTransactionReceipt", [hash]);
  if (status !== "0x0") throw new Error(`the endless loop ended with ${status}`);
  return hash;
}

/** Light requests without and with a client that requests one heavy trace after the other. */
async function benchBesideTraces(url: string, print: Print): Promise<void> {
  const port = Number(new URL(url).port);
  const light: Request = { name: "eth_getBalance", method: "eth_getBalance", params: [ACCOUNT, "latest"] };
  const heavies: readonly [string, string, object][] = [
    ["the calls of 6 million gas", await heavyTransaction(url, 6_000_000), { tracer: "callTracer" }],
    ["100 000 steps", await heavyTransaction(url, 450_000), { disableStack: true, disableMemory: true }],
  ];
  await benchRequest(port, { ...light, name: "eth_getBalance alone" }, print);
  for (const [name, hash, options] of heavies) {
    const socket = connect(port, "127.0.0.1");
    const times: number[] = [];
    let asked = performance.now();
    askForever(socket, requestBytes("debug_traceTransaction", [hash, options]), () => {
      times.push(performance.now() - asked);
      asked = performance.now();
    });
    await benchRequest(port, { ...light, name: `eth_getBalance beside debug_traceTransaction of ${name}` }, print);
    socket.destroy();
    print(`debug_traceTransaction of ${name}, beside them`, times.reduce((a, b) => a + b, 0) / times.length, "ms");
  }
}

async function ask(url: string, method: string, params: unknown[]): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const { result, error }: Json = await response.json();
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Requests that need a recorded chain: a token with holders, and logs of few and of many blocks. */
async function recordedRequests(url: string, lastBlock: number): Promise<readonly Request[]> {
  const toBlock = `0x${lastBlock.toString(16)}`;
  const transfers = { topics: [TRANSFER], toBlock };
  const [transfer] = await ask(url, "eth_getLogs", [{ ...transfers, fromBlock: "0x1" }]);
  const narrow = { address: transfer.address, fromBlock: `0x${(lastBlock - 9).toString(16)}`, toBlock };
  const wide = { ...narrow, fromBlock: "0x1", topics: [TRANSFER, transfer.topics[1]] };
  const call = { to: transfer.address, data: BALANCE_OF + transfer.topics[1].slice(2) };
  return [
    { name: "eth_getBlockByNumber, transactions", method: "eth_getBlockByNumber", params: ["0x1", true] },
    { name: "eth_call, token balance", method: "eth_call", params: [call, "latest"] },
    { name: "eth_getLogs, 10 blocks", method: "eth_getLogs", params: [narrow] },
    { name: `eth_getLogs, ${lastBlock} blocks`, method: "eth_getLogs", params: [wide] },
  ];
}

/** Measures a node in a separate process, with a recorded chain if it is available. */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const options = ["--network", "local", "--data-dir", folder];
    const blockFile = outsideVectorPath("chains", "long.blocks.1.txt.gz");
    if (blockFile !== undefined) await runCli("import", blockFile, ...options);
    const node = await startNode(...options, "--rpc.modules", "debug");
    const port = Number(new URL(node.url).port);
    const lastBlock = Number(await ask(node.url, "eth_blockNumber", []));
    const recorded = blockFile === undefined ? [] : await recordedRequests(node.url, lastBlock);
    for (const request of [...REQUESTS, ...recorded]) await benchRequest(port, request, print);
    await benchBesideTraces(node.url, print);
    await node.stop();
  });
}
