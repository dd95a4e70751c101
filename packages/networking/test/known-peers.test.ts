import assert from "node:assert/strict";
import "../src/index.js";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Libp2p, PeerId } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { MAX_ADDRESSES_PER_PEER } from "../src/libp2p/host/unverified-addresses.js";
import { KnownPeers, MAX_STORED } from "../src/libp2p/peers/known-peers.js";
import type { Session } from "../src/libp2p/sessions/session.js";

describe("known peers", () => {
  let libp2p: Libp2p;
  let known: KnownPeers;

  beforeEach(async () => {
    libp2p = await createLibp2p({ start: false });
    known = new KnownPeers(libp2p);
  });

  async function newPeerId(): Promise<PeerId> {
    return peerIdFromPrivateKey(await generateKeyPair("Ed25519"));
  }

  /** The session of an inbound peer whose Status names a port. */
  function sessionOf(remotePeer: PeerId, listenPort: number): Session {
    const address = { ip: "8.8.8.8", port: 1 };
    return { connection: { remotePeer }, direction: "inbound", address, status: { listenPort } } as unknown as Session;
  }

  it("are dialled at the port that they claim", async () => {
    const [listening, silent] = [await newPeerId(), await newPeerId()];
    await known.remember(sessionOf(listening, 30330));
    await known.remember(sessionOf(silent, 0));
    const { addresses } = await libp2p.peerStore.get(listening);
    assert.deepEqual(
      addresses.map((one) => one.multiaddr.toString()),
      ["/ip4/8.8.8.8/tcp/30330"],
    );
    const dialable = await known.dialable(() => true);
    assert.deepEqual(
      dialable.map(({ id, isGood }) => [id, isGood]),
      [[listening.toString(), true]],
    );
  });

  it("are read from the store only after a change", async () => {
    const { peerStore } = libp2p;
    const all = peerStore.all.bind(peerStore);
    let reads = 0;
    peerStore.all = (...args) => {
      reads++;
      return all(...args);
    };
    await known.remember(sessionOf(await newPeerId(), 1));
    for (let i = 0; i < 3; i++) assert.equal((await known.dialable(() => true)).length, 1);
    await known.forgetSurplus();
    await known.forgetSurplus();
    assert.equal(reads, 2);
    await known.remember(sessionOf(await newPeerId(), 1));
    assert.equal((await known.dialable(() => true)).length, 2);
    assert.equal(reads, 3);
  });

  it("have a limited number of addresses, the latest among them", async () => {
    const peer = await newPeerId();
    for (let port = 1; port <= 3 * MAX_ADDRESSES_PER_PEER; port++) {
      await known.remember(sessionOf(peer, port));
      const texts = (await libp2p.peerStore.get(peer)).addresses.map((one) => one.multiaddr.toString());
      assert.ok(texts.length <= MAX_ADDRESSES_PER_PEER);
      assert.ok(texts.includes(`/ip4/8.8.8.8/tcp/${port}`));
    }
  });

  it("are a thousand at most, and compatible ones stay", async () => {
    const good = await newPeerId();
    await known.remember(sessionOf(good, 1));
    for (let i = 0; i < MAX_STORED + 10; i++) {
      await libp2p.peerStore.merge(await newPeerId(), { multiaddrs: [multiaddr("/ip4/8.8.8.8/tcp/1")] });
    }
    await known.forgetSurplus();
    const left = await libp2p.peerStore.all();
    assert.equal(left.length, MAX_STORED);
    assert.ok(left.some(({ id }) => id.equals(good)));
  });
});
