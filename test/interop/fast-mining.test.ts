import assert from "node:assert/strict";
import type { Json } from "@cambium/test-utils/rpc-client";
import { mine, peerCount, tipOf } from "./interop-node.js";
import { useNodes } from "./node-group.js";
import { waitFor } from "./wait-for.js";

/** Number of blocks, far more than a peer may send within seconds on a public network. */
const BLOCKS = 200;
const SECONDS_TO_FOLLOW = 60;

describe("a deployed node that mines as fast as it can", () => {
  const nodes = useNodes();

  it("is followed on one connection", async () => {
    const deployed = await nodes.reference("deployed", { memory: "400m" });
    const cambium = await nodes.cambium("cambium", "--p2p.nodes", deployed.enode);
    const count = () => peerCount(cambium);
    await waitFor("the node has a peer", count, (peers) => peers === 1);
    await mine(deployed, BLOCKS);
    const { hash } = await tipOf(deployed);
    const tip = () => tipOf(cambium);
    await waitFor(`the node has block ${BLOCKS}, ${hash}`, tip, (seen) => seen.hash === hash, SECONDS_TO_FOLLOW);
    const peers: Json[] = await cambium.rpc.call("sco_peerList");
    const node = peers.find(({ type }) => type === "node");
    assert.deepEqual([node.successfulHandshakes, node.repeatedMessages], [1, 0]);
  });
});
