import { connect, type Socket } from "node:net";
import { runCli, startNode, withFolder } from "../node-cli.js";
import { vectorPath } from "../vectors.js";

type Print = (name: string, value: number, unit: string) => void;

const CONNECTIONS = 50;
const WARM_UP_SECONDS = 1;
const SECONDS = 4;

/** An account of the local network's genesis. */
const ACCOUNT = "0xcd2a3d9f938e13cd947ec05abc7fe734df8dd826";

const REQUESTS: readonly { name: string; method: string; params: unknown[] }[] = [
  { name: "eth_blockNumber", method: "eth_blockNumber", params: [] },
  { name: "eth_getBalance", method: "eth_getBalance", params: [ACCOUNT, "latest"] },
  { name: "eth_getBlockByNumber, hashes", method: "eth_getBlockByNumber", params: ["latest", false] },
  { name: "eth_getBlockByNumber, transactions", method: "eth_getBlockByNumber", params: ["0x1", true] },
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

/** Asks again as soon as the answer is there, until the connection is closed. */
function askForever(socket: Socket, request: Buffer, onAnswer: (text: string) => void): void {
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    text += chunk;
    const length = responseLength(text);
    if (length === undefined || text.length < length) return;
    onAnswer(text);
    text = "";
    socket.write(request);
  });
  socket.write(request);
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Answers a second, over keep-alive connections with one request under way on each. */
async function rate(port: number, request: Buffer): Promise<number> {
  let answers = 0;
  const sockets = Array.from({ length: CONNECTIONS }, () => connect(port, "127.0.0.1").setNoDelay());
  for (const socket of sockets) {
    askForever(socket, request, (text) => {
      if (!text.includes('"result"')) throw new Error(text);
      answers++;
    });
  }
  await pause(WARM_UP_SECONDS);
  answers = 0;
  const start = performance.now();
  await pause(SECONDS);
  const perSecond = (answers * 1000) / (performance.now() - start);
  for (const socket of sockets) socket.destroy();
  return perSecond;
}

/** Requests a second that a node in a process of its own serves; with a recorded chain where there is one. */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const options = ["--network", "local", "--data-dir", folder];
    const blockFile = vectorPath("chains", "contracts.blocks.txt.gz");
    if (blockFile !== undefined) await runCli("import", blockFile, ...options);
    const node = await startNode(...options);
    const port = Number(new URL(node.url).port);
    for (const { name, method, params } of REQUESTS) {
      if (blockFile === undefined && params[0] === "0x1") continue;
      print(`${name}, ${CONNECTIONS} connections`, await rate(port, requestBytes(method, params)), "requests/s");
    }
    await node.stop();
  });
}
