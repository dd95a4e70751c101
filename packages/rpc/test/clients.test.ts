import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { FakePool } from "@cambium/test-utils/api/fake-pool";
import { LOGGER, RealChain } from "@cambium/test-utils/api/real-chain";
import type { Block, Transaction } from "@cambium/types";
import { type Block as EthersBlock, type Log as EthersLog, WebSocketProvider } from "ethers";
import { createPublicClient, defineChain, webSocket } from "viem";
import { createRpcServer, DEFAULT_RPC_CONFIG, type RpcServer } from "../src/index.js";
import { CLIENT_VERSION, config, SILENT } from "./support/service.js";

/** Unmodified client libraries with subscriptions. */
describe("client libraries over WebSocket", () => {
  const pool = new FakePool();
  let real: RealChain;
  let server: RpcServer;
  let url: string;
  let logger: Uint8Array;

  beforeEach(async () => {
    real = await RealChain.open();
    logger = real.deploy(LOGGER);
    await real.mine();
    server = createRpcServer({
      chain: real.chain,
      events: real.chain,
      pool: pool.api(),
      config: config({
        http: { ...DEFAULT_RPC_CONFIG.http, port: 0 },
        ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 },
      }),
      clientVersion: CLIENT_VERSION,
      logger: SILENT,
    });
    const { ws } = await server.listen();
    url = `ws://127.0.0.1:${ws!.port}`;
  });

  afterEach(() => server.close());

  /** Announces a transaction that logs as pending, then mines it. */
  async function happen(): Promise<{ transaction: Transaction; block: Block }> {
    const transaction = real.send({ to: logger });
    pool.announce([transaction]);
    return { transaction, block: await real.mine() };
  }

  it("ethers: heads, logs, pending transactions", async () => {
    const provider = new WebSocketProvider(url);
    const address = toData(logger);
    const heads: number[] = [];
    const logs: EthersLog[] = [];
    const pending: string[] = [];
    await provider.on("block", (number: number) => heads.push(number));
    await provider.on(
      { address, topics: [[`0x${"42".padStart(64, "0")}`, `0x${"01".repeat(32)}`]] },
      (log: EthersLog) => logs.push(log),
    );
    await provider.on("pending", (hash: string) => pending.push(hash));
    // Requests are answered in order: once this resolves, the subscriptions are active.
    await provider.getBlockNumber();
    const { transaction, block } = await happen();
    await until(() => heads.length > 0 && logs.length > 0 && pending.length > 0);
    assert.deepEqual(heads, [block.number]);
    assert.deepEqual(pending, [toData(transaction.hash)]);
    assert.deepEqual(
      logs.map((log) => [log.blockHash, log.transactionHash, log.index, log.removed, log.address.toLowerCase()]),
      [[toData(block.hash), toData(transaction.hash), 0, false, address]],
    );
    const read: EthersBlock | null = await provider.getBlock(block.number, true);
    assert.equal(read?.hash, toData(block.hash));
    await provider.removeAllListeners();
    await provider.destroy();
  });

  it("viem: heads, logs, pending transactions", async () => {
    const chain = defineChain({
      id: 33,
      name: "local",
      nativeCurrency: { name: "coin", symbol: "C", decimals: 18 },
      rpcUrls: { default: { http: [] } },
    });
    const client = createPublicClient({ chain, transport: webSocket(url, { reconnect: false }) });
    const heads: (string | null)[] = [];
    const logs: { blockHash: string | null; transactionHash: string | null; removed: boolean }[] = [];
    const pending: string[] = [];
    const stops = [
      client.watchBlocks({ onBlock: ({ hash }) => heads.push(hash) }),
      client.watchEvent({ address: toData(logger) as `0x${string}`, onLogs: (found) => logs.push(...found) }),
      client.watchPendingTransactions({ onTransactions: (hashes) => pending.push(...hashes) }),
    ];
    // viem subscribes in the background.
    const { subscriptions } = await client.transport.getRpcClient();
    await until(() => subscriptions.size === stops.length);
    const { transaction, block } = await happen();
    await until(() => heads.length > 0 && logs.length > 0 && pending.length > 0);
    assert.deepEqual(heads, [toData(block.hash)]);
    assert.deepEqual(pending, [toData(transaction.hash)]);
    assert.deepEqual(
      logs.map(({ blockHash, transactionHash, removed }) => [blockHash, transactionHash, removed]),
      [[toData(block.hash), toData(transaction.hash), false]],
    );
    for (const stop of stops) stop();
    const socket = await client.transport.getRpcClient();
    socket.close();
  });
});

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
