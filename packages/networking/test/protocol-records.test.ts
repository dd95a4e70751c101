import assert from "node:assert/strict";
import { libp2pOf, TestNodes } from "@cambium/test-utils/peers/network-nodes";
import type { PeerData } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";

const REQUESTS = 5;

/** The store below the peer store of the library. */
interface Store {
  merge(id: unknown, data: PeerData, ...rest: unknown[]): Promise<unknown>;
}

describe("protocols of a peer", () => {
  const nodes = new TestNodes();
  afterEach(() => nodes.end());

  it("are recorded once a connection, however many streams use them", async () => {
    const [first, second] = await nodes.pair();
    const { peerStore } = libp2pOf(first);
    const { store } = peerStore as unknown as { store: Store };
    const merge = store.merge.bind(store);
    const recorded: string[] = [];
    store.merge = (id, data, ...rest) => {
      recorded.push(...(data.protocols ?? []));
      return merge(id, data, ...rest);
    };
    const id = second.network.ownId;
    const request = () => first.network.hashes(id, [0]);
    await request();
    const isHashes = (protocol: string) => protocol.includes("/hashes/");
    assert.equal(recorded.filter(isHashes).length, 1);
    for (let i = 1; i < REQUESTS; i++) await request();
    assert.equal(recorded.filter(isHashes).length, 1);
    assert.ok((await peerStore.get(peerIdFromString(id))).protocols.some(isHashes));
  });
});
