import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { NETWORKS } from "@cambium/config";
import { fromHex, toHex } from "@cambium/primitives";
import { agreementKey } from "@cambium/rlpx";
import { startNode, withFolder } from "@cambium/test-utils/node-cli";
import { RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { Conversation } from "@cambium/test-utils/peers/recorded-conversations";
import { RpcClient, until } from "@cambium/test-utils/rpc-client";

/** Key of the deployed client in the recordings. */
const KEY = agreementKey(new Uint8Array(32).fill(0x11));
const HELLO = 0x00;
const NETWORK_STATUS = 0x10;
const MESSAGE = 0x18;

describe("a node of the main network", () => {
  it("connects to a node of the deployed one that is configured", () =>
    withFolder(async (folder) => {
      const { messages } = Conversation.read("main-network");
      const recorded = (code: number) => messages.find((one) => !one.isOurs && one.code === code)!.payload;
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const dialled = once(server, "connection") as Promise<[Socket]>;
      const enode = `enode://${toHex(KEY.publicKey)}@127.0.0.1:${port}`;
      const peering = ["--p2p.wires", "rlpx", "--p2p.static", "--p2p.host", "127.0.0.1", "--p2p.rlpx-port", "0"];
      const node = await startNode("--network", "main", "--data-dir", folder, ...peering, "--p2p.nodes", enode);
      try {
        const [socket] = await dialled;
        const peer = RawRlpxPeer.accept(socket, KEY);
        await waitUntil(() => peer.ack !== undefined, 20_000);
        socket.write(peer.ack!);
        await waitUntil(() => peer.codes().includes(HELLO), 20_000);
        peer.send(HELLO, recorded(HELLO));
        peer.send(NETWORK_STATUS, recorded(NETWORK_STATUS));
        peer.send(MESSAGE, recorded(MESSAGE));
        const rpc = new RpcClient(node.url);
        await until(async () => (await rpc.call("net_peerCount")) === "0x1");
        const [claims] = peer.messages();
        assert(claims?.type === "networkStatus");
        const { networkId, genesisHash, totalDifficulty } = claims;
        assert.deepEqual(
          { networkId, genesisHash, totalDifficulty },
          {
            networkId: NETWORKS.main.networkId,
            genesisHash: fromHex("f88529d4ab262c0f4d042e9d8d3f2472848eaafe1a9b7213f57617eb40a9f9e0"),
            totalDifficulty: 1_048_576n,
          },
        );
        socket.destroy();
      } finally {
        server.close();
        assert.equal(await node.stop(), 0);
      }
    }));
});
