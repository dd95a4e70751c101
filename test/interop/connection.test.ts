import assert from "node:assert/strict";
import { DEVELOPERS } from "@cambium/test-utils/development-accounts";
import { type InteropNode, mine, peerCount, type Tip, tipOf } from "./interop-node.js";
import { type NodeGroup, useNodes } from "./node-group.js";
import { dialling } from "./reference-node.js";
import { waitFor } from "./wait-for.js";

const BLOCKS = 40;
const SINK = `0x${"51".repeat(20)}`;

/** Waits until a node has the best block of another. */
async function follows(follower: InteropNode, leader: InteropNode): Promise<void> {
  const { hash } = await tipOf(leader);
  const what = `${follower.name} has the best block of ${leader.name}, ${hash}`;
  await waitFor(
    what,
    () => tipOf(follower),
    (tip) => tip.hash === hash,
  );
}

/**
 * Sends the first transfer of an account to one node, waits until the second node has it, and mines it at the second
 * one.
 */
async function passesTransaction(from: InteropNode, to: InteropNode, sender: number): Promise<void> {
  const fields = { to: SINK, value: 1n, gasLimit: 21_000n, gasPrice: 1_000_000_000n, chainId: 33n, type: 0 };
  const signed = await DEVELOPERS[sender]!.signTransaction({ ...fields, nonce: 0 });
  const hash: string = await from.rpc.call("eth_sendRawTransaction", signed);
  const found = () => to.rpc.call("eth_getTransactionByHash", hash);
  await waitFor(`${to.name} has the transaction ${hash}`, found, (transaction) => transaction !== null);
  await mine(to);
  await follows(from, to);
  const receipt = await from.rpc.call("eth_getTransactionReceipt", hash);
  assert.equal(receipt?.status, "0x1");
}

interface ConnectedPair {
  reference: InteropNode;
  cambium: InteropNode;
}

function describeConnection(title: string, connect: (nodes: NodeGroup) => Promise<ConnectedPair>): void {
  describe(title, () => {
    const nodes = useNodes();
    let reference: InteropNode;
    let cambium: InteropNode;

    it("connects", async () => {
      ({ reference, cambium } = await connect(nodes));
      for (const node of [reference, cambium]) {
        await waitFor(
          `${node.name} has a peer`,
          () => peerCount(node),
          (count) => count === 1,
        );
      }
    });

    it("brings both to the same best block", async () => {
      const tips = () => Promise.all([tipOf(reference), tipOf(cambium)]);
      const accepts = ([one, other]: Tip[]) => one!.number === BLOCKS && other!.hash === one!.hash;
      await waitFor(`both have block ${BLOCKS}`, tips, accepts);
    });

    it("passes blocks on, from either side", async () => {
      for (const [miner, follower] of [
        [reference, cambium],
        [cambium, reference],
        [reference, cambium],
      ] as const) {
        for (let i = 0; i < 3; i++) {
          await mine(miner);
          await follows(follower, miner);
        }
      }
    });

    it("passes transactions on, from either side", async () => {
      await passesTransaction(reference, cambium, 0);
      await passesTransaction(cambium, reference, 1);
    });
  });
}

describeConnection("a node that dials a deployed node", async (nodes) => {
  const reference = await nodes.reference("deployed");
  await mine(reference, BLOCKS);
  return { reference, cambium: await nodes.cambium("cambium", "--p2p.nodes", reference.enode) };
});

describeConnection("a node that a deployed node dials", async (nodes) => {
  const cambium = await nodes.cambium("cambium");
  await mine(cambium, BLOCKS);
  const reference = await nodes.reference("deployed", { settings: dialling(cambium) });
  return { reference, cambium };
});
