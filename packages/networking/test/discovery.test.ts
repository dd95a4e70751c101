import assert from "node:assert/strict";
import { join } from "node:path";
import { libp2pOf, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";
import { settled } from "@cambium/test-utils/turning-clock";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Peer, PeerId, PeerInfo } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { LevelDatastore } from "datastore-level";
import { createLibp2p } from "libp2p";
import { AddressBudget, NEW_ADDRESSES_PER_HOUR } from "../src/libp2p/host/address-budget.js";
import {
  MAX_ADDRESSES_PER_PEER,
  MAX_PEERS_PER_ANSWER,
  UnverifiedAddresses,
} from "../src/libp2p/host/unverified-addresses.js";
import {
  type Bucket,
  BucketDiversity,
  MAX_PEERS_PER_SUBNET,
  type RoutingTable,
} from "../src/libp2p/patches/bucket-diversity.js";
import { FrameReader, frameOf } from "../src/libp2p/requests/frames.js";
import { hashesProtocol } from "../src/libp2p/wire/hashes.js";
import { protocolId } from "../src/libp2p/wire/ids.js";
import { timingsOf } from "../src/shared/timings.js";

const HOUR = 3_600_000;

async function newPeerId(): Promise<PeerId> {
  return peerIdFromPrivateKey(await generateKeyPair("secp256k1"));
}

function newPeerIds(count: number): Promise<PeerId[]> {
  return Promise.all(Array.from({ length: count }, newPeerId));
}

/** `count` different addresses, from the one with index `offset` on. */
function addresses(count: number, offset = 0): Multiaddr[] {
  return Array.from({ length: count }, (_, i) => multiaddr(`/ip4/8.8.8.8/tcp/${offset + i + 1}`));
}

describe("address budget", () => {
  it("accepts a hundred from each peer and hour", () => {
    let now = 0;
    const budget = new AddressBudget(() => now);
    assert.equal(budget.take("a", NEW_ADDRESSES_PER_HOUR - 1), NEW_ADDRESSES_PER_HOUR - 1);
    now = HOUR / 2;
    assert.equal(budget.take("a", 5), 1);
    assert.equal(budget.take("a", 5), 0);
    assert.equal(budget.take("b", 5), 5);
    now = HOUR - 1;
    assert.equal(budget.take("a", 5), 0);
    now = HOUR;
    assert.equal(budget.take("a", 1000), NEW_ADDRESSES_PER_HOUR - 1);
    now = HOUR * 1.5;
    assert.equal(budget.take("a", 1000), 1);
  });
});

describe("unverified addresses", () => {
  /** A store of peers, and the addresses under test that use it. */
  function worldOf(isWanted: (address: Multiaddr) => boolean = () => true) {
    const stored = new Map<string, Multiaddr[]>();
    const clock = { now: 0 };
    const store = {
      get: async (peer: PeerId) => {
        const found = stored.get(peer.toString());
        if (found === undefined) throw Object.assign(new Error("none"), { name: "NotFoundError" });
        return { addresses: found.map((one) => ({ multiaddr: one, isCertified: false })) };
      },
      merge: async (peer: PeerId, { multiaddrs }: { multiaddrs: Multiaddr[] }) => {
        stored.set(peer.toString(), [...(stored.get(peer.toString()) ?? []), ...multiaddrs]);
      },
    } as unknown as ConstructorParameters<typeof UnverifiedAddresses>[0];
    const unverified = new UnverifiedAddresses(
      store,
      (_, address) => isWanted(address),
      () => clock.now,
    );
    const count = () => [...stored.values()].flat().length;
    return { unverified, stored, clock, count };
  }

  it("are limited for each peer and hour, and peers with stored ones stay in an answer", async () => {
    const { unverified, clock, count } = worldOf();
    const [sender, other] = (await newPeerIds(2)) as [PeerId, PeerId];
    const learnFrom = async (from: PeerId) => {
      const peers = (await newPeerIds(MAX_PEERS_PER_ANSWER)).map((id): PeerInfo => ({ id, multiaddrs: addresses(6) }));
      return { peers, known: await unverified.learn(from, peers) };
    };
    const { peers, known } = await learnFrom(sender);
    assert.equal(count(), NEW_ADDRESSES_PER_HOUR);
    assert.equal(known.length, Math.ceil(NEW_ADDRESSES_PER_HOUR / 6));
    assert.deepEqual((await learnFrom(sender)).known, []);
    assert.equal((await unverified.learn(sender, peers.slice(0, 2))).length, 2);
    assert.equal(count(), NEW_ADDRESSES_PER_HOUR);
    await learnFrom(other);
    assert.equal(count(), 2 * NEW_ADDRESSES_PER_HOUR);
    clock.now = HOUR;
    await learnFrom(sender);
    assert.equal(count(), 3 * NEW_ADDRESSES_PER_HOUR);
  });

  it("are limited for each peer, as are the peers of an answer", async () => {
    const { unverified, stored } = worldOf();
    const [sender, other, peer] = (await newPeerIds(3)) as [PeerId, PeerId, PeerId];
    await unverified.learn(sender, [{ id: peer, multiaddrs: addresses(100) }]);
    await unverified.learn(other, [{ id: peer, multiaddrs: addresses(100, 100) }]);
    assert.deepEqual(stored.get(peer.toString()), addresses(MAX_ADDRESSES_PER_PEER));
    const many = (await newPeerIds(MAX_PEERS_PER_ANSWER + 1)).map((id) => ({ id, multiaddrs: addresses(1) }));
    assert.equal((await unverified.learn(other, many)).length, MAX_PEERS_PER_ANSWER);
  });

  it("are no DNS names, no duplicates and no unwanted ones", async () => {
    const { unverified, stored } = worldOf((address) => !address.toString().includes("10.0.0.1"));
    const [sender, peer] = (await newPeerIds(2)) as [PeerId, PeerId];
    const good = multiaddr("/ip6/2600::1/tcp/1");
    const rejected = ["/dns4/example.org/tcp/1", "/ip4/10.0.0.1/tcp/1", "/ip6/2600:0::1/tcp/1"].map((text) =>
      multiaddr(text),
    );
    assert.equal((await unverified.learn(sender, [{ id: peer, multiaddrs: [good, ...rejected] }])).length, 1);
    assert.deepEqual(stored.get(peer.toString()), [good]);
  });
});

describe("buckets of the routing table", () => {
  /** A table of one or two buckets whose peers have these addresses. */
  function worldOf(ips: Map<string, string>) {
    const left: { peerId: PeerId }[] = [];
    const right: { peerId: PeerId }[] = [];
    const target = new EventTarget();
    const table = Object.assign(target, {
      kb: { root: { left: { peers: left }, right: { peers: right } } as Bucket },
      remove: async (peer: PeerId) => {
        for (const bucket of [left, right]) {
          const index = bucket.findIndex(({ peerId }) => peerId.equals(peer));
          if (index >= 0) bucket.splice(index, 1);
        }
        target.dispatchEvent(new CustomEvent("peer:remove", { detail: peer }));
      },
    }) as unknown as RoutingTable;
    new BucketDiversity(table, (peer) => ips.get(peer));
    const add = (bucket: { peerId: PeerId }[], peer: PeerId) => {
      bucket.push({ peerId: peer });
      target.dispatchEvent(new CustomEvent("peer:add", { detail: peer }));
    };
    return { table, left, right, add };
  }

  async function peersAt(ips: Map<string, string>, ...at: string[]): Promise<PeerId[]> {
    const peers = await newPeerIds(at.length);
    for (const [i, peer] of peers.entries()) ips.set(peer.toString(), at[i]!);
    return peers;
  }

  it("limit the peers of an IPv4 /16 and an IPv6 /32", async () => {
    for (const subnet of ["8.8.", "2600:1:"]) {
      const ips = new Map<string, string>();
      const { left, right, add } = worldOf(ips);
      const hosts = ["1", "2", "3", "4"].map((host) => (subnet === "8.8." ? `8.8.${host}.1` : `2600:1:${host}::1`));
      const same = await peersAt(ips, ...hosts);
      for (const peer of same) add(left, peer);
      assert.deepEqual(
        left.map(({ peerId }) => peerId),
        same.slice(0, MAX_PEERS_PER_SUBNET),
      );
      add(right, same[3]!);
      assert.equal(right.length, 1);
      const [elsewhere] = await peersAt(ips, subnet === "8.8." ? "8.9.1.1" : "2600:2::1");
      add(left, elsewhere!);
      assert.equal(left.length, MAX_PEERS_PER_SUBNET + 1);
    }
  });

  it("have room again when a peer leaves", async () => {
    const ips = new Map<string, string>();
    const { table, left, add } = worldOf(ips);
    const same = await peersAt(ips, "8.8.1.1", "8.8.1.2", "8.8.1.3");
    for (const peer of same.slice(0, 2)) add(left, peer);
    await table.remove(same[0]!);
    add(left, same[2]!);
    assert.deepEqual(
      left.map(({ peerId }) => peerId),
      same.slice(1),
    );
  });

  it("do not count private addresses, and hold no disconnected peer", async () => {
    const ips = new Map<string, string>();
    const { left, right, add } = worldOf(ips);
    for (const peer of await peersAt(ips, "127.0.0.1", "127.0.0.1", "127.0.0.1", "::1")) add(left, peer);
    assert.equal(left.length, 4);
    add(right, await newPeerId());
    assert.equal(right.length, 0);
  });
});

describe("discovery", () => {
  const nodes = new TestNodes();

  afterEach(() => nodes.end());

  it("stores no more invented addresses than a peer may contribute", async () => {
    const timings = timingsOf(0.1);
    const node = await nodes.start({ timings, discovery: true });
    const liar = await RawPeer.start();
    try {
      const answers: number[] = [];
      const made = (await newPeerIds(MAX_PEERS_PER_ANSWER)).map((id, i) => peerInfo(id, addresses(8, 8 * i)));
      const answer = frameOf(field(1, FIND_NODE), ...made.map((info) => field(8, info)));
      await liar.libp2p.handle(protocolId("kad", liar.label), async (stream) => {
        await new FrameReader(stream).read(10_000, { firstByte: 5000, whole: 5000 });
        answers.push(stream.send(answer.subarray() as Uint8Array) ? 1 : 0);
        await stream.close();
      });
      const connection = await liar.meet(node);
      await until(() => answers.length > 0);
      const provider = await connection.newStream(protocolId("kad", liar.label));
      const own = peerInfo(liar.libp2p.peerId, addresses(50, 1000));
      provider.send(frameOf(field(1, ADD_PROVIDER), field(2, SOME_MULTIHASH), field(9, own)));
      // The connection carries the request after the message.
      await liar.ask(connection, "hashes", hashesProtocol.encodeRequest([0]));
      await until(async () => invented(await libp2pOf(node).peerStore.all()).length >= NEW_ADDRESSES_PER_HOUR);
      await settled();
      await nodes.stop(node);
      assert.equal((await storedAddresses(node.folder)).length, NEW_ADDRESSES_PER_HOUR);
    } finally {
      await liar.libp2p.stop();
    }
  });
});

/** Returns the addresses at 8.8.8.8 of all peers that a stopped node knows. */
async function storedAddresses(folder: string): Promise<string[]> {
  const datastore = new LevelDatastore(join(folder, "peers"));
  await datastore.open();
  try {
    const { peerStore } = await createLibp2p({ start: false, datastore });
    return invented(await peerStore.all());
  } finally {
    await datastore.close();
  }
}

function invented(peers: readonly Peer[]): string[] {
  return peers
    .flatMap(({ addresses }) => addresses.map(({ multiaddr }) => multiaddr.toString()))
    .filter((text) => text.includes("8.8.8.8"));
}

// Messages of the kad protocol, written by hand.

const ADD_PROVIDER = 2;
const FIND_NODE = 4;
/** A multihash of type sha2-256. */
const SOME_MULTIHASH = Uint8Array.of(1, 0x55, 0x12, 0x20, ...new Uint8Array(32));

function field(number: number, value: number | Uint8Array): Uint8Array {
  if (typeof value === "number") return Uint8Array.of(number << 3, value);
  return Uint8Array.of((number << 3) | 2, ...lengthOf(value), ...value);
}

function lengthOf({ length }: Uint8Array): number[] {
  return length < 0x80 ? [length] : [(length & 0x7f) | 0x80, length >> 7];
}

function peerInfo(id: PeerId, multiaddrs: readonly Multiaddr[]): Uint8Array {
  return Buffer.concat([field(1, id.toMultihash().bytes), ...multiaddrs.map(({ bytes }) => field(2, bytes))]);
}
