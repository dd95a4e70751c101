import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localBlock, SnapshotInstaller } from "@cambium/chain";
import { ChainError } from "@cambium/chain-store";
import { NETWORKS } from "@cambium/config";
import { DatabaseError, databasePath, openLevelDatabase } from "@cambium/database";
import { DEFAULT_RPC_CONFIG, RpcServerError } from "@cambium/rpc";
import { emptyChain, Mine } from "@cambium/test-utils/mined-chains";
import { ClassicLevel } from "classic-level";
import { pino } from "pino";
import { Node, NodeError } from "../src/index.js";
import { type NodeOptions, networkDefaults } from "../src/options.js";

const LOGGER = pino({ level: "silent" });
const network = NETWORKS.local;

function options(dataDir: string, httpPort = 0): NodeOptions {
  const http = { ...DEFAULT_RPC_CONFIG.http, port: httpPort };
  // The start of a thread on a busy machine takes longer than the default limit.
  const rpc = { ...DEFAULT_RPC_CONFIG, timeout: 300_000, http, ws: { ...DEFAULT_RPC_CONFIG.ws, port: 0 } };
  return { network, dataDir, rpc, version: "Test/0", ...networkDefaults(network) };
}

/** Rejects while any thread of this process has the database open. */
async function openExclusively(dataDir: string): Promise<void> {
  const level = new ClassicLevel(databasePath(dataDir), { createIfMissing: false, multithreading: false });
  await level.open();
  await level.close();
}

describe("a node", () => {
  let dataDir: string;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "cambium-node-"));
  });

  afterEach(() => rmSync(dataDir, { recursive: true }));

  it("releases its database when stopped, after reads by worker threads", async () => {
    const node = (await Node.start(options(dataDir), LOGGER))!;
    await assert.rejects(openExclusively(dataDir));
    const { host, port } = node.addresses;
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "eth_call",
      params: [{ to: `0x${"00".repeat(19)}04`, data: "0x07" }],
    };
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://${host}:${port}`, { method: "POST", headers, body: JSON.stringify(call) });
    assert.deepEqual(await response.json(), { jsonrpc: "2.0", id: 1, result: "0x07" });
    await node.stop();
    await openExclusively(dataDir);
  });

  it("creates its database in the layout that is asked for, and refuses another one", async () => {
    const archive = { ...options(dataDir), state: { layout: "archive" as const } };
    for (let i = 0; i < 2; i++) await (await Node.start(archive, LOGGER))!.stop();
    const isRefused = (error: unknown) => error instanceof ChainError && error.code === "STATE_LAYOUT";
    await assert.rejects(Node.start({ ...archive, state: { layout: "flat" } }, LOGGER), isRefused);
  });

  it("must stop if one of its parts cannot read a new block", async () => {
    const node = (await Node.start(options(dataDir), LOGGER))!;
    node.chain.on(({ hash }) => {
      node.chain.blockByHash(hash);
    });
    node.chain.blockByHash = () => {
      throw new DatabaseError({ code: "DATABASE_READ", reason: "EIO" });
    };
    await node.chain.import(localBlock(await new Mine(await emptyChain()).block()));
    assert.equal((await node.failed) instanceof DatabaseError, true);
    await node.stop();
  });

  it("neither ignores nor throws away an unfinished snapshot, unless told to execute every block", async () => {
    const database = await openLevelDatabase(databasePath(dataDir), { create: true });
    const block = await new Mine(await emptyChain()).block();
    await (await SnapshotInstaller.open({ network, database })).begin(block, 10n);
    await database.close();
    const isRefused = (error: unknown) => error instanceof NodeError && error.code === "SNAPSHOT_UNFINISHED";
    for (let i = 0; i < 2; i++) await assert.rejects(Node.start(options(dataDir), LOGGER), isRefused);
    await openExclusively(dataDir);
    const node = (await Node.start({ ...options(dataDir), syncMode: "full" }, LOGGER))!;
    await node.stop();
    await (await Node.start(options(dataDir), LOGGER))!.stop();
  });

  it("releases its database when JSON-RPC cannot listen, and can be started again", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const isRefused = (error: unknown) => error instanceof RpcServerError && error.code === "LISTEN_FAILED";
    await assert.rejects(Node.start(options(dataDir, port), LOGGER), isRefused);
    await openExclusively(dataDir);
    other.close();
    const node = (await Node.start(options(dataDir, port), LOGGER))!;
    assert.equal(node.addresses.port, port);
    await node.stop();
    await openExclusively(dataDir);
  });
});
