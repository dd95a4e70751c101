import { request } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { type ChainEvent, storedBlock } from "@cambium/chain";
import { openLevelDatabase } from "@cambium/database";
import { toData } from "@cambium/primitives";
import { createRpcServer, DEFAULT_RPC_CONFIG, type RpcServer, type RpcServerOptions } from "@cambium/rpc";
import { withFolder } from "@cambium/test-utils/node-cli";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { contractAt, loggingBlock, rareContract, SyntheticChain, topicAt } from "./synthetic-chain.js";

type Print = (name: string, value: number, unit: string) => void;

const CONNECTIONS = 100;
const SUBSCRIPTIONS = 10_000;
const HEADS = 5;
const QUERIES = 20;
const MARK = Buffer.from("eth_subscription");

/** A client on raw sockets: with a WebSocket library it would be slower than the server it measures. */
class RawClient {
  private notified = 0;
  private answered = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly onNotification: () => void,
  ) {
    let rest = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      const data = Buffer.concat([rest, chunk]);
      let end = 0;
      for (let at = data.indexOf(MARK); at >= 0; at = data.indexOf(MARK, end)) {
        end = at + MARK.length;
        this.notified++;
        this.onNotification();
      }
      if (this.notified === 0) this.answered += data.toString("latin1", end).split('"id":').length - 1;
      rest = this.notified === 0 ? Buffer.alloc(0) : data.subarray(Math.max(end, data.length - MARK.length + 1));
    });
  }

  static open(port: number, onNotification: () => void): Promise<RawClient> {
    const headers = {
      connection: "upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    };
    return new Promise((resolve, reject) => {
      const upgrade = request({ port, host: "127.0.0.1", headers, agent: false });
      upgrade.on("upgrade", (_response, socket) => resolve(new RawClient(socket as Socket, onNotification)));
      upgrade.on("error", reject);
      upgrade.end();
    });
  }

  async subscribe(count: number): Promise<void> {
    const one = { jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] };
    this.send(JSON.stringify(Array.from({ length: count }, () => one)));
    while (this.answered < count) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  close(): void {
    this.socket.destroy();
  }

  /** One text frame whose mask is zero. */
  private send(text: string): void {
    const head = Buffer.alloc(8);
    head[0] = 0x81;
    head[1] = 0x80 | 126;
    head.writeUInt16BE(text.length, 2);
    this.socket.write(Buffer.concat([head, Buffer.from(text)]));
  }
}

function serve(changes: Pick<RpcServerOptions, "chain" | "events">): RpcServer {
  return createRpcServer({
    ...changes,
    pool: { on: () => () => undefined } as unknown as RpcServerOptions["pool"],
    config: {
      ...DEFAULT_RPC_CONFIG,
      http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
      ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      timeout: 0,
    },
    clientVersion: "bench/0/0/0/0-0",
    logger: { ...SILENT, error: (data) => console.error(data) },
  });
}

/** Milliseconds from a new head until the last subscriber, in the same process, is notified. */
async function measureHeads(print: Print, chain: RpcServerOptions["chain"]): Promise<void> {
  let emit: (event: ChainEvent) => void = () => undefined;
  let notified = 0;
  let onLast: () => void = () => undefined;
  const events = {
    on: (listener: (event: ChainEvent) => void) => {
      emit = listener;
      return () => undefined;
    },
  };
  const server = serve({ chain, events });
  const { ws } = await server.listen();
  const count = () => {
    if (++notified === SUBSCRIPTIONS) onLast();
  };
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawClient.open(ws!.port, count)));
  for (const client of clients) await client.subscribe(SUBSCRIPTIONS / CONNECTIONS);
  const log = { address: contractAt(0), topics: [topicAt(0)], data: new Uint8Array(32) };
  let [worst, busiest, sum] = [0, 0, 0];
  for (let i = 0; i < HEADS; i++) {
    const { block, receipts } = loggingBlock(1_000_000 + i, new Uint8Array(32), log);
    notified = 0;
    const last = new Promise<void>((resolve) => (onLast = resolve));
    const start = performance.now();
    emit({ kind: "newHead", ...storedBlock(block, receipts, "sync") });
    busiest = Math.max(busiest, performance.now() - start);
    await last;
    const taken = performance.now() - start;
    sum += taken;
    worst = Math.max(worst, taken);
  }
  print(`one head to ${SUBSCRIPTIONS} subscriptions, mean`, sum / HEADS, "ms to the last");
  print(`one head to ${SUBSCRIPTIONS} subscriptions, worst`, worst, "ms to the last");
  print("longest turn of the event loop for it", busiest, "ms");
  for (const client of clients) client.close();
  await server.close();
}

/** Milliseconds of log queries over a whole chain. */
async function measureLogs(print: Print, server: RpcServer, blocks: number): Promise<void> {
  const everything = { fromBlock: "earliest", toBlock: "latest" };
  const queries: readonly [string, (i: number) => object][] = [
    ["a contract that rarely logs", () => ({ ...everything, address: toData(rareContract(blocks)) })],
    ["one contract", (i) => ({ ...everything, address: toData(contractAt(i)) })],
    ["one topic", (i) => ({ ...everything, topics: [toData(topicAt(i))] })],
    ["a topic that never occurs", (i) => ({ ...everything, topics: [toData(topicAt(100_000 + i))] })],
    [
      "2000 blocks, all logs",
      (i) => ({ fromBlock: `0x${(i * 10).toString(16)}`, toBlock: `0x${(i * 10 + 2000).toString(16)}` }),
    ],
  ];
  for (const [name, filter] of queries) {
    let found = 0;
    const start = performance.now();
    for (let i = 0; i < QUERIES; i++) {
      const answer = await server.handle({ id: 1, method: "eth_getLogs", params: [filter(i)] });
      const { result } = answer as { result?: unknown[] };
      if (result === undefined) throw new Error(JSON.stringify(answer));
      found += result.length;
    }
    const mean = (performance.now() - start) / QUERIES;
    print(`eth_getLogs over ${blocks} blocks, ${name} (${Math.round(found / QUERIES)} logs)`, mean, "ms");
  }
}

const LENGTHS = [10_000, 100_000, 1_000_000];

/** Measures the cost of notifications and log queries; the chain is written, not imported. */
export async function run(print: Print): Promise<void> {
  await withFolder(async (folder) => {
    const database = await openLevelDatabase(join(folder, "chain"), { create: true });
    const chain = await SyntheticChain.open(database);
    const start = performance.now();
    for (const blocks of LENGTHS) {
      await chain.grow(blocks);
      print(`chain of ${blocks} blocks written and indexed after`, (performance.now() - start) / 1000, "s");
      const reader = chain.reader();
      if (blocks === LENGTHS[0]) await measureHeads(print, reader);
      const server = serve({ chain: reader });
      await measureLogs(print, server, blocks);
      await server.close();
    }
    await database.close();
  });
}
