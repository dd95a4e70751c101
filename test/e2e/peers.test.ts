import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peer-nodes";
import { sleep, until } from "@cambium/test-utils/rpc-client";
import { Wallet } from "ethers";

const NODES = 10;
const BLOCKS = 200;

/** Two halves with two hubs and three more nodes each, connected by two links. */
describe("ten nodes, one of them mining", function () {
  this.timeout(15 * 60_000);
  let folder: string;
  const nodes: PeerNode[] = [];
  const nonces = DEVELOPERS.map(() => 0);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-peers-"));
    const start = async (boot: string[], ...flags: string[]) => {
      nodes.push(await startPeerNode(nodeFolder(folder, nodes.length), boot, ...flags));
    };
    await start([]);
    await start([nodes[0]!.address]);
    for (let i = 2; i < NODES / 2; i++) await start([nodes[0]!.address, nodes[1]!.address]);
    await start([nodes[0]!.address]);
    await start([nodes[5]!.address, nodes[1]!.address]);
    for (let i = 7; i < NODES; i++) await start([nodes[5]!.address, nodes[6]!.address]);
    await until(async () => {
      const counts = await Promise.all(nodes.map(({ rpc }) => rpc.call("net_peerCount")));
      return counts.every((count) => Number(count) >= 1);
    });
  });

  after(async () => {
    assert.deepEqual(
      await Promise.all(nodes.map(({ node }) => node.stop())),
      nodes.map(() => 0),
    );
    rmSync(folder, { recursive: true });
  });

  /** Submits a transfer to one node; returns its hash. */
  async function send(at: PeerNode, sender: number): Promise<string> {
    const transaction = {
      to: Wallet.createRandom().address,
      value: 1n,
      nonce: nonces[sender]!++,
      gasLimit: 21_000n,
      gasPrice: 1_000_000_000n,
      chainId: 33n,
      type: 0,
    };
    return at.rpc.call("eth_sendRawTransaction", await DEVELOPERS[sender]!.signTransaction(transaction));
  }

  async function allAt(hash: string, some: readonly PeerNode[], milliseconds: number): Promise<void> {
    await until(async () => (await Promise.all(some.map(bestOf))).every((best) => best.hash === hash), milliseconds);
  }

  it(`agree on each of ${BLOCKS} blocks within 3 s, with transactions from everywhere`, async () => {
    const sent: string[] = [];
    for (let i = 0; i < BLOCKS; i++) {
      sent.push(await send(nodes[i % NODES]!, i % NODES));
      await nodes[0]!.rpc.call("evm_mine");
      await allAt((await bestOf(nodes[0]!)).hash, nodes, 3000);
    }
    await until(async () => Number((await nodes[0]!.rpc.call("txpool_status")).pending) === 0 || mineOnce());
    for (const [i, hash] of sent.entries()) {
      const receipt = await nodes[(i + 3) % NODES]!.rpc.call("eth_getTransactionReceipt", hash);
      assert.equal(receipt?.status, "0x1", `transaction ${i} is not in a block`);
    }
  });

  /** The last transactions may have been too late for the last block. */
  async function mineOnce(): Promise<boolean> {
    await sleep(500);
    await nodes[0]!.rpc.call("evm_mine");
    await allAt((await bestOf(nodes[0]!)).hash, nodes, 3000);
    return false;
  }
});
