import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atDepth } from "@cambium/test-utils/depth";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { sleep, until } from "@cambium/test-utils/rpc-client";

const NODES = atDepth(4, 10);
const BLOCKS = atDepth(20, 200);
const SINK = `0x${"51".repeat(20)}`;
/** The hubs of the two halves. */
const HUBS = [0, NODES / 2] as const;

/** Tests two halves, each around two hubs, connected by two links. */
describe(`${NODES} nodes, one of them mining`, function () {
  this.timeout(60 * 60_000);
  let folder: string;
  const nodes: PeerNode[] = [];
  const nonces = DEVELOPERS.map(() => 0);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "cambium-peers-"));
    const start = async (boot: string[], ...flags: string[]) => {
      nodes.push(await startPeerNode(nodeFolder(folder, nodes.length), boot, ...flags));
    };
    const addresses = (...indexes: number[]) => indexes.map((index) => nodes[index]!.address);
    const [first, second] = HUBS;
    await start([]);
    await start(addresses(first));
    for (let i = first + 2; i < second; i++) await start(addresses(first, first + 1));
    await start(addresses(first));
    await start(addresses(second, first + 1));
    for (let i = second + 2; i < NODES; i++) await start(addresses(second, second + 1));
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

  it("name their peers alike in net_peerList and sco_peerList", async () => {
    const { rpc } = nodes[0]!;
    const connected = (await rpc.call("net_peerList")).map((line: string) => line.split(" | ")[0]);
    const scored: { type: string; peer?: string }[] = await rpc.call("sco_peerList");
    for (const id of connected)
      assert(
        scored.some(({ type, peer }) => type === "node" && peer === id),
        id,
      );
    for (const { peer } of scored.filter(({ type }) => type === "address")) assert.equal(peer, undefined);
  });

  /** Submits a transfer to one node; returns its hash. */
  async function send(at: PeerNode, sender: number): Promise<string> {
    const transaction = {
      to: SINK,
      value: 1n,
      nonce: nonces[sender]!++,
      gasLimit: 21_000n,
      gasPrice: 1_000_000_000n,
      chainId: 33n,
      type: 0,
    };
    return at.rpc.call("eth_sendRawTransaction", await DEVELOPERS[sender]!.signTransaction(transaction));
  }

  /** Mines a block at the first node, and waits until it is every node's best one. */
  async function mine(): Promise<void> {
    await nodes[0]!.rpc.call("evm_mine");
    const { hash } = await bestOf(nodes[0]!);
    await until(async () => (await Promise.all(nodes.map(bestOf))).every((best) => best.hash === hash));
  }

  it(`agree on each of ${BLOCKS} blocks, with transactions from everywhere`, async () => {
    const sent: string[] = [];
    for (let i = 0; i < BLOCKS; i++) {
      sent.push(await send(nodes[i % NODES]!, i % NODES));
      await mine();
    }
    // The last transactions may arrive after the last block.
    const arrived = async () => (await Promise.all(sent.map(receiptAt(0)))).every((receipt) => receipt !== null);
    while (!(await arrived())) {
      await sleep(500);
      await mine();
    }
    for (const [i, hash] of sent.entries()) {
      const receipt = await receiptAt((i + 3) % NODES)(hash);
      assert.equal(receipt?.status, "0x1", `transaction ${i} is not in a block`);
    }
  });

  function receiptAt(index: number) {
    return (hash: string) => nodes[index]!.rpc.call("eth_getTransactionReceipt", hash);
  }
});
