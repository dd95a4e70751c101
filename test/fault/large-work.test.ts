import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { local } from "@cambium/config";
import { fromHex, toData } from "@cambium/primitives";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type RunningNode, startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { Block, signTransaction } from "@cambium/types";

/** Number of requests of each kind at a time, which continue until this number of other requests is answered. */
const CLIENTS = 8;
const LIGHT_ANSWERS = 20;
/** Maximum duration of a request in milliseconds: longer ones end with a typed error. */
const TIMEOUT = 2_000;
/** Maximum memory of the whole process, in bytes. */
const MAX_MEMORY = 1_500 * 2 ** 20;
/** Codes LIMIT_EXCEEDED and CLIENT_LIMIT, and those with which a body or its transactions are refused. */
const REFUSALS: ReadonlySet<number> = new Set([-32011, -38026, -32000, -32602]);
const ENOUGH = 5_000_000;

const [{ privateKey, address }] = DEVELOPERS as [(typeof DEVELOPERS)[0]];
const from = address.toLowerCase();
/** Code that never ends. */
const LOOP = { from, data: "0x5b600056", gas: "0x989680" };

/** Tests requests that are expensive to answer, from many clients at a time. */
describe("requests for much work", function () {
  this.timeout(300_000);
  const attacks: [name: string, bodies: (node: RpcClient) => Promise<string[]> | string[]][] = [
    ["debug_traceBlock of 5 MB of transactions", async (rpc) => [body("debug_traceBlock", await largeBlock(rpc))]],
    [
      "eth_getTransactionBySenderAndNonce in batches",
      () => [batch("eth_getTransactionBySenderAndNonce", [from, "0x0"], [from, "0x3b9aca00"])],
    ],
    ["eth_callMany of endless calls", () => [1_000, 5_000].map((count) => body("eth_callMany", bundle(count)))],
    [
      "debug_traceCallMany of endless calls",
      () => [{}, { tracer: "callTracer" }].map((options) => body("debug_traceCallMany", bundle(1_000), {}, options)),
    ],
  ];

  for (const [name, bodiesOf] of attacks) {
    it(`${name}: others are answered meanwhile, errors are typed, memory is bounded`, () =>
      withNode(async (node) => {
        const rpc = new RpcClient(node.url, false);
        const bodies = await bodiesOf(rpc);
        let [answers, memory] = [0, 0];
        const isEnough = () => answers >= LIGHT_ANSWERS;
        const attack = Promise.all(
          Array.from({ length: CLIENTS }, (_, i) => flood(node.url, bodies[i % bodies.length]!, isEnough)),
        );
        let isOver = false;
        const end = () => (isOver = true);
        attack.then(end, end);
        do {
          assert.equal(await rpc.call("eth_blockNumber"), "0x1");
          memory = Math.max(memory, await residentMemory(node));
          answers++;
        } while (!isOver);
        const outcomes = (await attack).flat();
        assert(memory < MAX_MEMORY, `${memory} bytes`);
        for (const outcome of outcomes) assert(outcome === "result" || REFUSALS.has(outcome), `${outcome}`);
        assert.equal(await rpc.call("eth_blockNumber"), "0x1");
      }));
  }
});

async function withNode(use: (node: RunningNode) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const config = join(folder, "rpc.json");
    writeFileSync(config, JSON.stringify({ timeout: TIMEOUT }));
    const node = await startNode("--network", "local", "--mine", "--data-dir", folder, "--rpc.config", config);
    let log = "";
    node.process.stderr!.on("data", (chunk) => (log += chunk));
    const rpc = new RpcClient(node.url, false);
    await rpc.call("eth_sendTransaction", { from, to: from, gas: "0x5208" });
    const failure = await use(node).catch((error: unknown) => error);
    const status = await node.stop();
    if (failure !== undefined) throw failure;
    assert.equal(status, 0, `${node.process.signalCode} ${log}`);
  });
}

/** Returns the resident memory in bytes. */
async function residentMemory({ process: { pid } }: RunningNode): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", `${pid}`]);
  return Number(stdout) * 1024;
}

type Outcome = "result" | number;

/** Sends a request twice, and repeats it until others have enough answers. Resolves to the codes of errors. */
async function flood(url: string, text: string, isEnough: () => boolean): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let i = 0; i < 2 || !isEnough(); i++) {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: text });
    // The node has no room for further large requests.
    if (response.status === 503) continue;
    const answer = await response.json();
    for (const { error } of Array.isArray(answer) ? answer : [answer]) outcomes.push(error?.code ?? "result");
  }
  return outcomes;
}

function body(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

function batch(method: string, ...each: readonly unknown[][]): string {
  const requests = Array.from({ length: 100 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method,
    params: each[id % each.length],
  }));
  return JSON.stringify(requests);
}

function bundle(count: number) {
  return [{ transactions: Array(count).fill(LOOP) }];
}

/** Returns the latest block with as many transactions as a request may have, and a gas limit that allows them. */
async function largeBlock(rpc: RpcClient): Promise<string> {
  const block = Block.decode(fromHex(await rpc.call("debug_getRawBlock", "latest")), local);
  const to = fromHex(from);
  const signed = (nonce: number) =>
    signTransaction(
      { nonce: BigInt(nonce), gasPrice: 1n, gasLimit: 21_000n, to, value: 1n, chainId: 33 },
      fromHex(privateKey),
    );
  const first = signed(0);
  const count = Math.floor((ENOUGH / 2 - 2_000) / (first.encoded.length + 4));
  const transactions = Array.from({ length: count }, (_, nonce) => signed(nonce));
  const header = block.header.with({ gasLimit: new Uint8Array(7).fill(0x0f) });
  return toData(new Block(header, transactions, []).encode());
}
