import assert from "node:assert/strict";
import { TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";
import type { Session } from "../src/libp2p/sessions/session.js";

describe("network", () => {
  const nodes = new TestNodes();

  afterEach(() => nodes.end());

  it("outlives connections that end while a stream is being opened", async () => {
    const [one] = await nodes.pair();
    const peer = await RawPeer.start();
    try {
      await peer.meet(one);
      const session = one.network.peer(peer.id) as Session;
      const opening = session.connection.newStream("/ipfs/ping/1.0.0");
      session.connection.abort(new Error("gone"));
      await assert.rejects(opening);
      await until(() => one.network.peers().length === 1);
    } finally {
      await peer.libp2p.stop();
    }
  });

  it("exchanges status and answers hashes", async () => {
    const [one, other] = await nodes.pair();
    const peer = one.network.peer(other.network.ownId)!;
    assert.equal(peer.direction, "outbound");
    assert.equal(peer.status.clientId, "test/1");
    const genesis = other.chain.genesis.hash;
    assert.deepEqual(await one.network.hashes(other.network.ownId, [0, 7]), [genesis, undefined]);
    assert.deepEqual(await other.network.hashes(one.network.ownId, [0]), [genesis]);
    assert.match(one.network.list()[0]!, /^\w+ \| 127\.0\.0\.1:\d+$/);
    await one.network.disconnect(other.network.ownId);
    assert.equal(one.network.peers().length, 0);
    await until(() => other.network.peers().length === 0);
  });
});
