import { cpSync } from "node:fs";
import { join } from "node:path";
import { TABLES } from "@cambium/chain-store";
import { databasePath, openLevelDatabase } from "@cambium/database";
import { importRecorded, type RunningNode, startNode, THREADED, withFolder } from "@cambium/test-utils/node-cli";
import { processorTime } from "@cambium/test-utils/processes/process-figures";
import { outsideVectorPath } from "@cambium/test-utils/vectors";
import { HttpConnection } from "./local/connection.js";

type Print = (name: string, value: number, unit: string) => void;

const CONNECTIONS = 50;
/** Rounds in which the nodes take turns. */
const ROUNDS = 3;
const TRANSACTIONS = 20_000;
const BLOCKS = 450;
/** A prime number. */
const STRIDE = 7_919;

interface Requests {
  name: string;
  method: string;
  /** Parameters of each request of a round. */
  params: readonly unknown[][];
}

interface Measured {
  name: string;
  times: number[];
}

/**
 * Measures the processor time of reads of old blocks, by a node that has stored the senders of their transactions, and
 * by one whose database lacks them, as if an earlier release had written it.
 */
export async function run(print: Print): Promise<void> {
  const blockFile = outsideVectorPath("chains", "long.blocks.1.txt.gz");
  if (blockFile === undefined) return;
  await withFolder(async (folder) => {
    const [stored, without] = [join(folder, "stored"), join(folder, "without")];
    await importRecorded(blockFile, "--network", "local", "--data-dir", stored);
    cpSync(stored, without, { recursive: true });
    await removeSenders(without);
    const nodes = await Promise.all(
      [stored, without].map((dataDir) => startNode("--network", "local", "--data-dir", dataDir, ...THREADED)),
    );
    for (const { name, times } of await measure(nodes, await requestsFor(new URL(nodes[0]!.url)))) {
      const [withSenders, recovering] = times;
      print(name, withSenders!, "µs of processor time");
      print(`${name}, without stored senders`, recovering!, "µs of processor time");
      print(`${name}, ratio`, withSenders! / recovering!, "");
    }
    for (const node of nodes) await node.stop();
  });
}

async function removeSenders(dataDir: string): Promise<void> {
  const database = await openLevelDatabase(databasePath(dataDir));
  for await (const { key } of database.entries(TABLES.senders)) {
    await database.write([{ table: TABLES.senders, key: key.slice(), value: undefined }]);
  }
  await database.close();
}

/** Returns requests for the oldest blocks, in an order in which caches of decoded blocks do not help. */
async function requestsFor(url: URL): Promise<Requests[]> {
  const connection = new HttpConnection(url);
  const numbers: string[] = [];
  const hashes: string[] = [];
  for (let number = 1; numbers.length < BLOCKS; number++) {
    const block = await connection.ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false);
    if (block === null) break;
    numbers.push(`0x${number.toString(16)}`);
    if (hashes.length < TRANSACTIONS) hashes.push(...block.transactions.slice(0, -1));
  }
  connection.close();
  const byHash = shuffled(hashes).map((hash) => [hash]);
  const byNumber = shuffled(numbers);
  return [
    { name: "eth_getTransactionByHash", method: "eth_getTransactionByHash", params: byHash },
    { name: "eth_getTransactionReceipt", method: "eth_getTransactionReceipt", params: byHash },
    { name: "full block", method: "eth_getBlockByNumber", params: byNumber.map((number) => [number, true]) },
    { name: "block with hashes", method: "eth_getBlockByNumber", params: byNumber.map((number) => [number, false]) },
    { name: "eth_getBlockReceipts", method: "eth_getBlockReceipts", params: byNumber.map((number) => [number]) },
  ];
}

function shuffled<T>(values: readonly T[]): T[] {
  return values.map((_, i) => values[(i * STRIDE) % values.length]!);
}

/**
 * Microseconds of processor time a request, of each node. A round has more answers than a node caches, so that each of
 * them is computed again.
 */
async function measure(nodes: readonly RunningNode[], all: readonly Requests[]): Promise<Measured[]> {
  const measured = all.map(({ name }) => ({ name, times: nodes.map(() => 0) }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [of, { method, params }] of all.entries()) {
      for (const [index, node] of nodes.entries()) {
        const before = processorTime(node.process.pid!);
        await askAll(new URL(node.url), method, params);
        const microseconds = (processorTime(node.process.pid!) - before) * 1_000;
        // The first round warms the nodes up.
        if (round > 0) measured[of]!.times[index]! += microseconds / (ROUNDS * params.length);
      }
    }
  }
  return measured;
}

async function askAll(url: URL, method: string, params: readonly unknown[][]): Promise<void> {
  const left = [...params];
  const ask = async () => {
    const connection = new HttpConnection(url);
    for (let next = left.pop(); next !== undefined; next = left.pop()) await connection.ask(method, ...next);
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
}
