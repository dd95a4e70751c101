import assert from "node:assert/strict";
import { runCli } from "@cambium/test-utils/node-cli";
import { TcpGate } from "@cambium/test-utils/peers/tcp-gate";
import { sleep } from "@cambium/test-utils/rpc-client";
import { type InteropNode, mine, peerCount, tipOf } from "./interop-node.js";
import { type NodeGroup, useNodes } from "./node-group.js";
import { dialling, type ReferenceNode } from "./reference-node.js";
import { waitFor } from "./wait-for.js";

/** Number of blocks, enough that a node can be killed before it has them all. */
const BLOCKS = 500;
/** Number of blocks after which a synchronisation is interrupted. */
const INTERRUPTED_AT = 120;
const SYNC_SECONDS = 240;
/**
 * Time limit in seconds: a deployed node with a stalled connection requests nothing for minutes (`spec/07 §B.10`, Q16).
 */
const RECOVERY_SECONDS = 100;

function reaches(node: InteropNode, height: number, seconds = SYNC_SECONDS) {
  return waitFor(
    `${node.name} reaches block ${height}`,
    () => tipOf(node),
    ({ number }) => number >= height,
    seconds,
  );
}

function hasPeers(node: InteropNode, wanted: number) {
  return waitFor(
    `${node.name} has ${wanted} peers`,
    () => peerCount(node),
    (count) => count === wanted,
  );
}

/** Checks that neither side has punished the other one. */
async function checkReputations(...nodes: readonly InteropNode[]): Promise<void> {
  for (const { rpc, name } of nodes) {
    const peers: { id: string; goodReputation: boolean; punishments: number }[] = await rpc.call("sco_peerList");
    assert.ok(peers.length > 0, `${name} knows no peers`);
    for (const peer of peers) {
      assert.ok(peer.goodReputation && peer.punishments === 0, `${name} has punished ${JSON.stringify(peer)}`);
    }
    assert.deepEqual(await rpc.call("sco_bannedAddresses"), []);
  }
}

/** Starts a node of this project again with the same key, data and port. */
function restarted(nodes: NodeGroup, { name, p2pPort }: InteropNode, ...flags: string[]): Promise<InteropNode> {
  return nodes.cambium(name, "--p2p.rlpx-port", String(p2pPort), ...flags);
}

describe("a connection to a deployed node", function () {
  this.timeout(20 * 60_000);
  const nodes = useNodes();
  let reference: ReferenceNode;
  let cambium: InteropNode;

  it("exists once if both sides dial", async () => {
    cambium = await nodes.cambium("cambium");
    reference = await nodes.reference("deployed", { settings: dialling(cambium) });
    await hasPeers(cambium, 1);
    await nodes.stop(cambium);
    // A deployed node ignores a Disconnect, so that this node must close the connection (Q18).
    await hasPeers(reference, 0);
    cambium = await restarted(nodes, cambium, "--p2p.nodes", reference.enode);
    await hasPeers(cambium, 1);
    await hasPeers(reference, 1);
    // Both nodes dial every few seconds.
    await sleep(10_000);
    assert.deepEqual([await peerCount(cambium), await peerCount(reference)], [1, 1]);
  });

  it("survives a restart of the deployed node", async () => {
    await nodes.stop(reference);
    await hasPeers(cambium, 0);
    await mine(cambium, 30);
    reference = await nodes.reference("deployed", reference.options);
    await reaches(reference, 30, RECOVERY_SECONDS);
  });

  it("survives a restart of this node, which the deployed node dials again", async () => {
    await nodes.stop(cambium);
    cambium = await restarted(nodes, cambium, "--p2p.nodes", reference.enode);
    await mine(cambium, 30);
    await reaches(reference, 60, RECOVERY_SECONDS);
  });

  it("leaves no bans", () => checkReputations(reference, cambium));
});

describe("a lost connection that a deployed node has made", function () {
  this.timeout(20 * 60_000);
  const nodes = useNodes();

  it("is made again by this node, so that the deployed node does not stall", async () => {
    const cambium = await nodes.cambium("cambium");
    const gate = await TcpGate.before(`/ip4/127.0.0.1/tcp/${cambium.p2pPort}/`);
    try {
      const [, port] = gate.address.match(/\/tcp\/(\d+)\//)!;
      const enode = cambium.enode.replace(/\d+$/, port!);
      const reference = await nodes.reference("deployed", { settings: dialling({ ...cambium, enode }) });
      await mine(cambium, 30);
      await reaches(reference, 30, RECOVERY_SECONDS);
      for (const height of [60, 90]) {
        gate.cut();
        await mine(cambium, 30);
        gate.join();
        await reaches(reference, height, RECOVERY_SECONDS);
      }
      await checkReputations(reference, cambium);
    } finally {
      gate.close();
    }
  });
});

describe("an interrupted synchronisation", function () {
  this.timeout(30 * 60_000);
  const nodes = useNodes();
  let reference: ReferenceNode;
  let fresh: InteropNode;

  it("continues after the deployed node was killed", async () => {
    reference = await nodes.reference("deployed");
    await mine(reference, BLOCKS);
    // A killed deployed node loses its unwritten blocks.
    await nodes.stop(reference);
    reference = await nodes.reference("deployed", reference.options);
    fresh = await nodes.cambium("cambium", "--p2p.nodes", reference.enode);
    await reaches(fresh, INTERRUPTED_AT);
    await nodes.kill(reference);
    await hasPeers(fresh, 0);
    reference = await nodes.reference("deployed", reference.options);
    await reaches(fresh, BLOCKS);
    await checkReputations(reference, fresh);
    await nodes.stop(fresh);
  });

  it("continues after this node was killed", async () => {
    fresh = await nodes.cambium("other", "--p2p.nodes", reference.enode);
    await reaches(fresh, INTERRUPTED_AT);
    await nodes.kill(fresh);
    fresh = await restarted(nodes, fresh, "--p2p.nodes", reference.enode);
    await reaches(fresh, BLOCKS);
    await checkReputations(reference, fresh);
    await nodes.stop(fresh);
    const flags = ["--network", "local", "--data-dir", nodes.folderOf("other")];
    const { status, stdout } = await runCli("db", "check", ...flags);
    assert.equal(status, 0, stdout);
  });
});

describe("an interrupted synchronisation of a deployed node", function () {
  this.timeout(20 * 60_000);
  const nodes = useNodes();

  it("continues after this node was killed", async () => {
    const server = await nodes.cambium("server");
    await mine(server, BLOCKS);
    const behind = await nodes.reference("behind", { settings: dialling(server) });
    await reaches(behind, INTERRUPTED_AT);
    await nodes.kill(server);
    await hasPeers(behind, 0);
    // The deployed node dials first, and does not synchronise over that connection.
    const again = await restarted(nodes, server);
    await reaches(behind, BLOCKS);
    await checkReputations(behind, again);
  });
});
