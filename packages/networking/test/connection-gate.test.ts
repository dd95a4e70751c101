import assert from "node:assert/strict";
import type { MultiaddrConnection, PeerId } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { ConnectionGate, PENDING_INBOUND } from "../src/libp2p/host/connection-gate.js";
import { type PeerLimits, PUBLIC_LIMITS } from "../src/options.js";
import type { PeerScoring } from "../src/scoring/interface.js";

const OWN = "16Uiu2HAmM1TnVoCMYMkCsaSeRskc61KGZ7YLDzJ9LXHevBzwqkAP";
const LOWER = "16Uiu2HAm1111111111111111111111111111111111111111111111";
const HIGHER = "16Uiu2HAmPfmVsN95yVZ6HPpVqqUKjvXxNMnQjPRGMVwyXAcMHKLX";

interface World {
  gate: ConnectionGate;
  connected: { id: string; direction: "inbound" | "outbound"; ip: string }[];
  failed: string[];
  badPeers: Set<string>;
  badAddresses: Set<string>;
}

function worldOf(own: { limits?: Partial<PeerLimits>; trusted?: string[]; allowsPrivate?: boolean } = {}): World {
  const connected: World["connected"] = [];
  const failed: string[] = [];
  const badPeers = new Set<string>();
  const badAddresses = new Set<string>();
  const gate = new ConnectionGate({
    ownId: OWN,
    limits: { ...PUBLIC_LIMITS, ...own.limits },
    trusted: new Set(own.trusted),
    scoring: {
      isGoodPeer: (id) => !badPeers.has(id),
      isGoodAddress: (ip) => !badAddresses.has(ip),
      isBannedAddress: () => false,
    } as Partial<PeerScoring> as PeerScoring,
    allowsPrivate: own.allowsPrivate ?? false,
    connected: (id) => connected.find((one) => one.id === id),
    connections: () => connected,
    isForbidden: () => false,
    onOwnKey: (ip) => failed.push(`own key at ${ip}`),
    onFailedUpgrade: (ip) => failed.push(ip),
  });
  return { gate, connected, failed, badPeers, badAddresses };
}

/** Returns a peer with only the text that the gate reads. */
function peerOf(id: string): PeerId {
  return { toString: () => id } as PeerId;
}

function from(ip: string): MultiaddrConnection {
  const family = ip.includes(":") ? "ip6" : "ip4";
  const connection = Object.assign(new EventTarget(), {
    remoteAddr: multiaddr(`/${family}/${ip}/tcp/1000`),
    status: "open",
    abort() {
      connection.status = "aborted";
      connection.dispatchEvent(new Event("close"));
    },
  });
  return connection as unknown as MultiaddrConnection;
}

describe("connection gate", () => {
  it("counts connections of an address, and those being upgraded", () => {
    const { gate, connected } = worldOf();
    connected.push({ id: "a", direction: "outbound", ip: "1.2.3.4" });
    for (let i = 0; i < 3; i++) assert.equal(gate.denyInboundConnection(from("1.2.3.4")), false);
    assert.equal(gate.denyInboundConnection(from("1.2.3.4")), true);
    assert.equal(gate.denyInboundConnection(from("1.2.3.5")), false);
  });

  it("counts only outbound connections for a dial", () => {
    const { gate, connected } = worldOf();
    for (let i = 0; i < 16; i++) connected.push({ id: `in ${i}`, direction: "inbound", ip: "1.2.3.4" });
    assert.equal(gate.denyInboundConnection(from("1.2.3.4")), true);
    assert.equal(gate.denyDialMultiaddr(multiaddr("/ip4/1.2.3.4/tcp/1")), false);
    for (let i = 0; i < 4; i++) connected.push({ id: `out ${i}`, direction: "outbound", ip: "1.2.3.4" });
    assert.equal(gate.denyDialMultiaddr(multiaddr("/ip4/1.2.3.4/tcp/1")), true);
  });

  it("counts a /64 of IPv6 as one address", () => {
    const { gate, connected } = worldOf();
    for (let i = 1; i <= 4; i++) assert.equal(gate.denyInboundConnection(from(`2001:db8:0:1::${i}`)), false);
    assert.equal(gate.denyInboundConnection(from("2001:db8:0:1:ffff::1")), true);
    for (let i = 1; i <= 4; i++) connected.push({ id: `${i}`, direction: "outbound", ip: `2001:db8:0:1::${i}` });
    assert.equal(gate.denyDialMultiaddr(multiaddr("/ip6/2001:db8:0:1::9/tcp/1")), true);
    assert.equal(gate.denyInboundConnection(from("2001:db8:0:2::1")), false);
  });

  it("counts connections of a subnet", () => {
    const { gate } = worldOf();
    for (let i = 0; i < 16; i++) assert.equal(gate.denyInboundConnection(from(`7.7.0.${i}`)), false);
    assert.equal(gate.denyInboundConnection(from("7.7.255.1")), true);
    assert.equal(gate.denyInboundConnection(from("7.8.0.1")), false);
    for (let i = 0; i < 16; i++) assert.equal(gate.denyInboundConnection(from(`2001:db8:${i + 1}::1`)), false);
    assert.equal(gate.denyInboundConnection(from("2001:db8:ffff::1")), true);
    assert.equal(gate.denyInboundConnection(from("2001:db9::1")), false);
  });

  it("reserves places for outbound peers", () => {
    const { gate, connected } = worldOf({ limits: { maximum: 12, minimumOutbound: 10 } });
    connected.push({ id: "a", direction: "inbound", ip: "1.1.1.1" });
    const second = from("2.1.1.1");
    assert.equal(gate.denyInboundConnection(second), false);
    assert.equal(gate.denyInboundConnection(from("3.1.1.1")), true);
    assert.equal(gate.denyDialPeer(peerOf(HIGHER)), false);
    second.dispatchEvent(new Event("close"));
    assert.equal(gate.denyInboundConnection(from("3.1.1.1")), false);
  });

  it("ends the oldest upgrade of the greediest host for another host, if pending ones take all places", () => {
    const { gate, failed } = worldOf();
    const greedy = Array.from({ length: 12 }, (_, i) => from(`1.${i % 3}.0.1`));
    for (const connection of greedy) assert.equal(gate.denyInboundConnection(connection), false);
    const others = Array.from({ length: 40 }, (_, i) => from(`2.${i}.0.1`));
    for (const connection of others) assert.equal(gate.denyInboundConnection(connection), false);
    const ended = [...greedy, ...others].filter(({ status }) => status === "aborted");
    assert.equal(ended.length, 52 - PENDING_INBOUND);
    assert.deepEqual(ended.slice(0, 3), greedy.slice(0, 3));
    assert.deepEqual(failed, []);
  });

  it("does so if the places for inbound peers are taken", () => {
    const { gate } = worldOf({ limits: { maximum: 13, minimumOutbound: 10 } });
    const greedy = [from("1.1.0.1"), from("1.1.0.1"), from("2.2.0.1")];
    for (const connection of greedy) assert.equal(gate.denyInboundConnection(connection), false);
    assert.equal(gate.denyInboundConnection(from("1.1.0.1")), true);
    assert.equal(gate.denyInboundConnection(from("3.3.0.1")), false);
    assert.deepEqual(
      greedy.map(({ status }) => status),
      ["aborted", "open", "open"],
    );
    assert.equal(gate.denyInboundConnection(from("4.4.0.1")), true);
  });

  it("distinguishes a failed handshake from its own refusal", () => {
    const { gate, failed, badPeers } = worldOf();
    badPeers.add(HIGHER);
    const refused = from("1.1.1.1");
    gate.denyInboundConnection(refused);
    assert.equal(gate.denyInboundEncryptedConnection(peerOf(HIGHER), refused), true);
    refused.dispatchEvent(new Event("close"));
    const broken = from("2.2.2.2");
    gate.denyInboundConnection(broken);
    broken.dispatchEvent(new Event("close"));
    assert.deepEqual(failed, ["2.2.2.2"]);
  });

  it("refuses bad peers by address and by peer id", () => {
    const { gate, badAddresses, badPeers } = worldOf();
    badAddresses.add("6.6.6.6");
    badPeers.add(HIGHER);
    assert.equal(gate.denyInboundConnection(from("6.6.6.6")), true);
    assert.equal(gate.denyDialMultiaddr(multiaddr("/ip4/6.6.6.6/tcp/1")), true);
    assert.equal(gate.denyDialPeer(peerOf(HIGHER)), true);
    assert.equal(gate.denyDialMultiaddr(multiaddr(`/ip4/1.1.1.1/tcp/1/p2p/${HIGHER}`)), true);
    const late = from("1.1.1.1");
    assert.equal(gate.denyInboundConnection(late), false);
    assert.equal(gate.denyInboundUpgradedConnection(peerOf(HIGHER), late), true);
  });

  it("exempts a trusted peer from the limits, and no other peer in its place", () => {
    const { gate, connected } = worldOf({ limits: { maximum: 1, minimumOutbound: 0 }, trusted: [HIGHER] });
    connected.push({ id: "a", direction: "inbound", ip: "1.1.1.1" });
    const connection = from("1.1.1.1");
    assert.equal(gate.denyInboundConnection(connection), false);
    assert.equal(gate.denyInboundEncryptedConnection(peerOf(HIGHER), connection), false);
    const other = from("1.1.1.1");
    assert.equal(gate.denyInboundConnection(other), false);
    assert.equal(gate.denyInboundEncryptedConnection(peerOf(OWN), other), true);
    assert.equal(gate.denyDialPeer(peerOf(HIGHER)), false);
    connected.push({ id: HIGHER, direction: "inbound", ip: "1.1.1.1" });
    assert.equal(gate.denyInboundConnection(from("1.1.1.1")), true);
  });

  it("keeps the connection that the smaller id opened", () => {
    const { gate } = worldOf();
    assert.ok(LOWER < OWN && OWN < HIGHER);
    assert.equal(gate.isReplaced({ direction: "outbound" }, LOWER), true);
    assert.equal(gate.isReplaced({ direction: "outbound" }, HIGHER), false);
    assert.equal(gate.isReplaced({ direction: "inbound" }, LOWER), false);
  });

  it("stores public addresses only, except on development networks", () => {
    const peer = peerOf(HIGHER);
    const inside = multiaddr("/ip4/192.168.1.1/tcp/1");
    const { gate, badAddresses } = worldOf();
    badAddresses.add("6.6.6.6");
    assert.equal(gate.filterMultiaddrForPeer(peer, inside), false);
    assert.equal(gate.filterMultiaddrForPeer(peer, multiaddr("/ip4/6.6.6.6/tcp/1")), false);
    assert.equal(gate.filterMultiaddrForPeer(peer, multiaddr("/ip4/8.8.8.8/tcp/1")), true);
    assert.equal(worldOf({ allowsPrivate: true }).gate.filterMultiaddrForPeer(peer, inside), true);
  });
});
