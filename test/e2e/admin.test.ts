import assert from "node:assert/strict";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { RpcClient, RpcFailure, until } from "@cambium/test-utils/rpc-client";

const ADMIN = ["--rpc.modules", "sco,admin"];

describe("the administration of a running node", () => {
  it("connects and disconnects peers, bans them, and changes the log", async () => {
    await withFolder(async (folder) => {
      const nodes: PeerNode[] = [];
      try {
        nodes.push(await startPeerNode(nodeFolder(folder, 0), []));
        nodes.push(await startPeerNode(nodeFolder(folder, 1), [], ...ADMIN));
        const [other, own] = nodes as [PeerNode, PeerNode];
        const { rpc } = own;
        let log = "";
        own.node.process.stdout!.on("data", (chunk) => (log += chunk));

        const info = await rpc.call("admin_nodeInfo");
        assert.equal(info.dataDir, nodeFolder(folder, 1));
        assert.equal(await rpc.call("admin_datadir"), info.dataDir);
        assert.deepEqual([info.network, info.bestNumber], ["local", 0]);
        assert.ok(info.addresses.includes(own.address), own.address);

        assert.equal(await rpc.call("admin_setLogLevel", "warn,p2p=debug"), true);
        await assert.rejects(rpc.call("admin_setLogLevel", "loud"), /loud/);
        const peer = await rpc.call("admin_addPeer", other.address);
        assert.deepEqual([peer.direction, peer.wire, peer.bestNumber], ["outbound", "libp2p", 0]);
        assert.ok(other.address.endsWith(peer.id));
        assert.deepEqual(await rpc.call("admin_peers"), [peer]);
        await until(async () => log.includes('"package":"p2p"'));

        assert.equal(await rpc.call("admin_removePeer", peer.id), true);
        await until(async () => (await rpc.call("admin_peers")).length === 0);
        assert.equal(await rpc.call("admin_removePeer", peer.id), false);
        await assert.rejects(rpc.call("admin_addPeer", "nowhere"), RpcFailure);

        assert.equal((await rpc.call("admin_addPeer", other.address)).id, peer.id);
        await assert.rejects(rpc.call("admin_banPeer", peer.id), /address of this machine/);
        assert.equal(await rpc.call("admin_banPeer", "192.0.2.0/24"), "192.0.2.0/24");
        assert.deepEqual(await rpc.call("sco_bannedAddresses"), ["192.0.2.0/24"]);
        assert.equal(await rpc.call("admin_unbanPeer", "192.0.2.0/24"), true);
        assert.deepEqual(await rpc.call("sco_bannedAddresses"), []);
      } finally {
        for (const { node } of nodes) await node.stop();
      }
    });
  });

  it("is not served unless it is enabled", async () => {
    await withFolder(async (folder) => {
      const node = await startNode("--network", "local", "--data-dir", folder);
      try {
        await assert.rejects(new RpcClient(node.url).call("admin_nodeInfo"), { code: -32601 });
      } finally {
        await node.stop();
      }
    });
  });
});
