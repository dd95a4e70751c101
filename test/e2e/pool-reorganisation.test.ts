import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localBlock } from "@cambium/chain";
import { local } from "@cambium/config";
import { Node, networkDefaults } from "@cambium/node";
import { DEFAULT_RPC_CONFIG } from "@cambium/rpc";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { RpcClient } from "@cambium/test-utils/rpc-client";
import { pino } from "pino";

const SINK = `0x${"51".repeat(20)}`;
const OTHER_SINK = `0x${"52".repeat(20)}`;

/** A node in this process, so that the test can import blocks like those of peers. */
interface LocalNode {
  node: Node;
  rpc: RpcClient;
}

describe("transactions of an abandoned branch", () => {
  const folders: string[] = [];
  let ours: LocalNode;
  let theirs: LocalNode;

  beforeEach(async () => {
    ours = await startHere(1);
    theirs = await startHere(2);
  });
  afterEach(async () => {
    for (const { node } of [ours, theirs]) await node.stop();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  async function startHere(id: number): Promise<LocalNode> {
    const dataDir = mkdtempSync(join(tmpdir(), "cambium-e2e-"));
    folders.push(dataDir);
    const defaults = networkDefaults(local);
    const { http, ws } = DEFAULT_RPC_CONFIG;
    const node = (await Node.start(
      {
        network: local,
        dataDir,
        rpc: { ...DEFAULT_RPC_CONFIG, http: { ...http, port: 0 }, ws: { ...ws, enabled: false } },
        ...defaults,
        mining: { ...defaults.mining, rewardAddress: new Uint8Array(20).fill(id) },
        version: "Test/0",
      },
      pino({ level: "silent" }),
    ))!;
    return { node, rpc: new RpcClient(`http://127.0.0.1:${node.addresses.port}`) };
  }

  /** Imports every block of one node's best chain into another. */
  async function deliver(from: LocalNode, to: LocalNode): Promise<void> {
    const { chain } = from.node;
    for (let number = 1; number <= chain.best().header.number; number++) {
      const result = await to.node.chain.import(localBlock(chain.blockByNumber(number)!));
      assert(result.kind === "imported-best" || result.kind === "imported-side", JSON.stringify(result));
    }
    assert.deepEqual(to.node.chain.best().hash, chain.best().hash);
  }

  it("are pending again, and mined again exactly once", async () => {
    const sent: string[] = [];
    const shared: string[] = [];
    for (let nonce = 0; nonce < 6; nonce++) {
      for (const [i, wallet] of DEVELOPERS.entries()) {
        const raw = await wallet.signTransaction(transfer(SINK, nonce));
        sent.push(await ours.rpc.call("eth_sendRawTransaction", raw));
        // The other branch contains the first transactions of some accounts.
        if (i < 4 && nonce < 3) shared.push(await theirs.rpc.call("eth_sendRawTransaction", raw));
      }
      if (nonce % 2 === 1) await ours.rpc.call("evm_mine");
    }
    for (let i = 0; i < 5; i++) await theirs.rpc.call("evm_mine");
    assert.deepEqual(await ours.rpc.call("txpool_status"), { pending: 0, queued: 0 });

    await deliver(theirs, ours);
    const expected = { pending: sent.length - shared.length, queued: 0 };
    assert.deepEqual(await ours.rpc.call("txpool_status"), expected);
    for (const hash of sent) {
      const mined = shared.includes(hash);
      const { blockHash } = await ours.rpc.call("eth_getTransactionByHash", hash);
      assert.equal(blockHash !== null, mined);
      assert.equal((await ours.rpc.call("eth_getTransactionReceipt", hash)) !== null, mined);
    }

    while ((await ours.rpc.call("txpool_status")).pending > 0) await ours.rpc.call("evm_mine");
    assert.equal(BigInt(await ours.rpc.call("eth_getBalance", SINK, "latest")), BigInt(sent.length));
    const times = await minedTimes(ours.rpc);
    for (const hash of sent) assert.equal(times.get(hash), 1);
  });

  it("are dropped if the other branch used their nonces", async () => {
    const [wallet] = DEVELOPERS;
    const send = async ({ rpc }: LocalNode, to: string, nonce: number) => {
      return rpc.call("eth_sendRawTransaction", await wallet!.signTransaction(transfer(to, nonce)));
    };
    const ourFirst = await send(ours, SINK, 0);
    const ourSecond = await send(ours, SINK, 1);
    await ours.rpc.call("evm_mine");
    const theirFirst = await send(theirs, OTHER_SINK, 0);
    for (let i = 0; i < 3; i++) await theirs.rpc.call("evm_mine");

    await deliver(theirs, ours);
    assert.equal(await ours.rpc.call("eth_getTransactionByHash", ourFirst), null);
    assert.equal((await ours.rpc.call("eth_getTransactionByHash", theirFirst)).blockNumber, "0x1");
    assert.equal(await ours.rpc.call("eth_getTransactionCount", wallet!.address, "pending"), "0x2");
    await ours.rpc.call("evm_mine");
    const receipt = await ours.rpc.call("eth_getTransactionReceipt", ourSecond);
    assert.deepEqual([receipt.blockNumber, receipt.status], ["0x4", "0x1"]);
    assert.equal(await ours.rpc.call("eth_getBalance", SINK, "latest"), "0x1");
  });

  it("are in templates on the new best block only", async () => {
    const before = await ours.rpc.call("mnr_getWork");
    await theirs.rpc.call("evm_mine");
    await deliver(theirs, ours);
    const best = (await ours.rpc.call("eth_getBlockByNumber", "latest")).hash;
    // The template is built after the chain event was handled.
    let after = before;
    while (after.blockHashForMergedMining === before.blockHashForMergedMining) {
      after = await ours.rpc.call("mnr_getWork");
    }
    assert.deepEqual([after.parentBlockHash, after.notify], [best, true]);
  });
});

function transfer(to: string, nonce: number) {
  return { to, value: 1, nonce, gasLimit: 21_000, gasPrice: 1_000_000_000n, chainId: 33, type: 0 };
}

/** Returns how often each transaction is in the best chain. */
async function minedTimes(rpc: RpcClient): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  const best = Number(await rpc.call("eth_blockNumber"));
  for (let number = 1; number <= best; number++) {
    const { transactions } = await rpc.call("eth_getBlockByNumber", `0x${number.toString(16)}`);
    for (const hash of transactions) times.set(hash, (times.get(hash) ?? 0) + 1);
  }
  return times;
}
