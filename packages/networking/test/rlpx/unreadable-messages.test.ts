import assert from "node:assert/strict";
import { fromHex } from "@cambium/primitives";
import { agreementKey } from "@cambium/rlpx";
import { newPrivateKey } from "@cambium/rlpx/testing";
import { TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { claimsOf, RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { SILENT } from "@cambium/test-utils/silent-logger";
import { peerIdOf } from "../../src/shared/peer-id.js";

const MESSAGE = 0x18;
/** RLP of a string instead of a list. */
const UNREADABLE = fromHex("83010203");

describe("messages that cannot be read, over the deployed network's wire", () => {
  const nodes = new TestNodes();
  const sockets: { destroy(): void }[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    return nodes.end();
  });

  it("end the connection and are logged once; the second one within the hour leads to a ban", async () => {
    const lines: { peer?: string; reason?: string }[] = [];
    const logger = {
      ...SILENT,
      info: (details: object, text: string) => /cannot be read/.test(text) && lines.push(details),
    };
    const node = await nodes.start({ wires: ["rlpx"], logger });
    const url = new URL(node.address);
    const key = agreementKey(newPrivateKey());
    const id = peerIdOf(key.publicKey)!;
    const connect = async () => {
      const peer = await RawRlpxPeer.dial({ port: Number(url.port), remoteId: fromHex(url.username), key });
      sockets.push(peer.socket);
      return peer.meet(claimsOf(node.chain));
    };
    for (const isGood of [true, false]) {
      const peer = await connect();
      await until(() => node.network.peer(id) !== undefined);
      peer.send(MESSAGE, UNREADABLE);
      await waitUntil(() => peer.isClosed);
      assert.equal(node.scoring.isGoodPeer(id), isGood);
      assert.deepEqual(
        lines.map(({ peer, reason }) => [peer, /message/.test(reason ?? "")]),
        [[id, true]],
      );
    }
    const banned = await connect();
    await waitUntil(() => banned.isClosed);
    assert.equal(node.network.peer(id), undefined);
    assert.equal(node.scoring.peerList()[0]?.invalidMessages, 2);
  });
});
