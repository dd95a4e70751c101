import { createChainEvm, openReader } from "@cambium/chain";
import { NETWORKS, REWARD_SENDER } from "@cambium/config";
import { openLevelDatabase } from "@cambium/database";
import { toData, toQuantity } from "@cambium/primitives";
import {
  CallingThreadFirst,
  DEFAULT_RPC_CONFIG as config,
  createRpcServer,
  type RpcServer,
  type RpcServerOptions,
  SHARED_CALLS,
  ThreadedExecutor,
} from "@cambium/rpc";
import { SILENT } from "@cambium/test-utils/silent-logger";
import type { Changes } from "./changes.js";
import { dropFromCache } from "./disk-bound.js";
import { countDiskIo } from "./disk-io.js";
import { addressAt } from "./large-state.js";
import { balanceOf, TOKEN } from "./token.js";

const network = NETWORKS.local;
/** Number of keys that are read. */
const READS = 1_000;
/** Number of requests that let the code be compiled. */
const WARM_UP = 2_000;
const WARM_UP_BLOCKS = 50;

/** Requests for the balance of an account, and for that of a token. */
export const READ_METHODS = {
  eth_getBalance: (account: Uint8Array) => toData(account),
  eth_call: (account: Uint8Array) => ({ to: toData(TOKEN), data: toData(balanceOf(account)) }),
} as const;
export type ReadMethod = keyof typeof READ_METHODS;

/** Figures of a request. */
export interface ReadFigures {
  /** Microseconds. */
  mean: number;
  median: number;
  p99: number;
  cpu: number;
  /** Number of bytes read from the disk; undefined where the system does not show it. */
  readBytes: number | undefined;
}

/**
 * Requests balances at a block: of accounts that have changed since or, at the best block, of any. `cold`: each for the
 * first time, with an empty page cache. `hot`: the same again. Throws if an answer is wrong.
 */
export async function measureReads(
  location: string,
  changes: Changes,
  method: ReadMethod,
  depth: number,
): Promise<{ cold: ReadFigures; hot: ReadFigures }> {
  const { server, close } = await openServer(location);
  await warmUp(server, changes);
  const number = changes.head - depth;
  const indexes = changes.toRead(number, READS);
  const expected = indexes.map((index) => BigInt(changes.last(index, number) ?? index + 1));
  const block = depth === 0 ? "latest" : toQuantity(number);
  const ask = (at: unknown) => measure(server, method, indexes.map(addressAt), at, expected);
  dropFromCache(location);
  const cold = await ask(block);
  // A node remembers values of the state that was read last, and answers. The database is read only if neither is the
  // same.
  await handle(server, method, addressAt(indexes[0]!), toQuantity(number - 1));
  const hot = await ask({ blockNumber: toQuantity(number) });
  await close();
  return { cold, hot };
}

/** Opens the server of a node, which does not listen. */
async function openServer(location: string): Promise<{ server: RpcServer; close: () => Promise<void> }> {
  const database = await openLevelDatabase(location);
  const threads = new ThreadedExecutor({ network, location, config });
  const heavy = new CallingThreadFirst(threads, config, SHARED_CALLS, (isInterrupted) =>
    openReader({ network, database, evm: createChainEvm(network, { isInterrupted }) }),
  );
  const server = createRpcServer({
    chain: openReader({ network, database }),
    pool: { on: () => () => undefined } as unknown as RpcServerOptions["pool"],
    heavy,
    config,
    clientVersion: "bench/0/0/0/0-0",
    logger: SILENT,
  });
  const close = async () => {
    await server.close();
    await heavy.close();
    await database.close();
  };
  return { server, close };
}

/** Reads little of the database: an account that every block changes, and a cell that no block changes. */
async function warmUp(server: RpcServer, { head, unchanged }: Changes): Promise<void> {
  for (let i = 0; i < WARM_UP; i++) {
    const block = { blockNumber: toQuantity(head - (i % Math.min(WARM_UP_BLOCKS, head))) };
    await handle(server, "eth_getBalance", REWARD_SENDER, block);
    await handle(server, "eth_call", addressAt(unchanged), block);
  }
}

async function measure(
  server: RpcServer,
  method: ReadMethod,
  accounts: readonly Uint8Array[],
  block: unknown,
  expected: readonly bigint[],
): Promise<ReadFigures> {
  const answers: unknown[] = [];
  const times: number[] = [];
  const [cpuBefore, io] = [process.cpuUsage(), countDiskIo()];
  for (const account of accounts) {
    const started = performance.now();
    answers.push(await handle(server, method, account, block));
    times.push((performance.now() - started) * 1_000);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const read = io()?.read;
  for (const [i, answer] of answers.entries()) requireResult(answer, expected[i]!);
  const { length } = times;
  const mean = times.reduce((a, b) => a + b, 0) / length;
  times.sort((a, b) => a - b);
  const [median, p99] = [0.5, 0.99].map((part) => times[Math.floor(part * length)]!) as [number, number];
  return { mean, median, p99, cpu: (user + system) / length, readBytes: read && read / length };
}

function handle(server: RpcServer, method: ReadMethod, account: Uint8Array, block: unknown): Promise<unknown> {
  return server.handle({ jsonrpc: "2.0", id: 1, method, params: [READ_METHODS[method](account), block] });
}

function requireResult(answer: unknown, expected: bigint): void {
  const { result } = JSON.parse(JSON.stringify(answer)) as { result?: string };
  if (result === undefined || BigInt(result) !== expected) {
    throw new Error(`${JSON.stringify(answer)} instead of ${expected}`);
  }
}
