import assert from "node:assert/strict";
import type { PeerId } from "../../src/interface.js";
import { PUBLIC_LIMITS } from "../../src/options.js";
import { RlpxGate, type RlpxGateParts } from "../../src/rlpx/gate.js";
import type { RlpxPeer } from "../../src/rlpx/peer.js";
import type { PeerScoring } from "../../src/scoring/interface.js";
import { peerAt, tableOf, targetAt } from "./parts.js";

interface GateOptions extends Partial<Omit<RlpxGateParts, "scoring" | "limits">> {
  badPeers?: readonly PeerId[];
  badAddresses?: readonly string[];
  limits?: Partial<typeof PUBLIC_LIMITS>;
}

function gateOf({ badPeers = [], badAddresses = [], limits = {}, ...parts }: GateOptions = {}): RlpxGate {
  return new RlpxGate({
    ownId: "own",
    peers: tableOf(),
    trusted: new Set(),
    isConnectedElsewhere: () => false,
    isForbidden: () => false,
    now: () => 0,
    limits: { ...PUBLIC_LIMITS, ...limits },
    scoring: {
      isGoodPeer: (id: PeerId) => !badPeers.includes(id),
      isGoodAddress: (ip: string) => !badAddresses.includes(ip),
    } as PeerScoring,
    ...parts,
  });
}

const inbound = (ip: string) => ({ ip, direction: "inbound" }) as const;
const outbound = (ip: string) => ({ ip, direction: "outbound" }) as const;

describe("gate of the deployed network's wire", () => {
  it("admits new nodes in both directions", () => {
    const gate = gateOf();
    assert.ok(gate.mayAccept("10.0.0.1"));
    assert.ok(gate.mayDial("a", "10.0.0.1"));
    assert.equal(gate.refusal("a", inbound("10.0.0.1")), undefined);
    assert.equal(gate.refusal("a", outbound("10.0.0.1")), undefined);
  });

  it("refuses the node itself", () => {
    const gate = gateOf();
    assert.ok(!gate.mayDial("own", "10.0.0.1"));
    assert.equal(gate.refusal("own", inbound("10.0.0.1")), "localIdentity");
  });

  it("refuses bad peers and addresses", () => {
    const gate = gateOf({ badPeers: ["bad"], badAddresses: ["10.0.0.9"] });
    assert.ok(!gate.mayAccept("10.0.0.9"));
    assert.ok(!gate.mayDial("bad", "10.0.0.1"));
    assert.ok(!gate.mayDial("a", "10.0.0.9"));
    assert.equal(gate.refusal("bad", inbound("10.0.0.1")), "uselessPeer");
    assert.equal(gate.refusal("a", inbound("10.0.0.9")), "uselessPeer");
  });

  it("keeps the connection opened by the smaller id if both sides dial at the same time", () => {
    const OPENING = 10_000;
    const [smaller, larger] = [
      { ...targetAt(1, 1), id: "a" },
      { ...targetAt(1, 2), id: "z" },
    ];
    const gateAt = (time: number, direction: "inbound" | "outbound") => {
      const peers = tableOf(
        ...[smaller, larger].map((target) => ({ ...peerAt(target, direction), since: 0 }) as RlpxPeer),
      );
      return gateOf({ peers, now: () => time });
    };
    const [dialled, accepted] = [gateAt(OPENING, "outbound"), gateAt(OPENING, "inbound")];
    assert.equal(dialled.refusal("a", inbound("10.0.0.1")), undefined);
    assert.equal(dialled.refusal("z", inbound("10.0.0.1")), "duplicatePeer");
    assert.equal(accepted.refusal("a", outbound("10.0.0.1")), "duplicatePeer");
    assert.equal(accepted.refusal("z", outbound("10.0.0.1")), undefined);
    // A second connection in the same direction is a duplicate, and so is a later one.
    assert.equal(accepted.refusal("a", inbound("10.0.0.1")), "duplicatePeer");
    assert.equal(gateAt(OPENING + 1, "outbound").refusal("a", inbound("10.0.0.1")), "duplicatePeer");
  });

  it("refuses peers that are connected already, over either wire", () => {
    const target = targetAt(1, 1);
    const gate = gateOf({
      peers: tableOf(peerAt(target, "inbound")),
      isConnectedElsewhere: (id) => id === "elsewhere",
    });
    for (const id of [target.id, "elsewhere"]) {
      assert.ok(!gate.mayDial(id, "10.0.0.1"));
      assert.equal(gate.refusal(id, inbound("10.0.0.1")), "duplicatePeer");
    }
  });

  it("does not dial peers that must not be dialled, which may dial", () => {
    const gate = gateOf({ isForbidden: (id) => id === "forbidden" });
    assert.ok(!gate.mayDial("forbidden", "10.0.0.1"));
    assert.equal(gate.refusal("forbidden", inbound("10.0.0.1")), undefined);
  });

  it("limits connections of an address and of a subnet", () => {
    const of = (count: number, at: (i: number) => ReturnType<typeof targetAt>) =>
      tableOf(...Array.from({ length: count }, (_, i) => peerAt({ ...at(i), id: `${i}` }, "inbound")));
    const crowdedAddress = gateOf({ peers: of(PUBLIC_LIMITS.perAddress, () => targetAt(1, 1)) });
    assert.ok(!crowdedAddress.mayAccept("10.1.0.1"));
    assert.ok(crowdedAddress.mayAccept("10.1.0.2"));
    assert.equal(crowdedAddress.refusal("new", inbound("10.1.0.1")), "tooManyPeers");
    assert.ok(crowdedAddress.mayDial("new", "10.1.0.1"), "inbound peers do not prevent dialling");
    const crowdedSubnet = gateOf({ peers: of(PUBLIC_LIMITS.perSubnet, (i) => targetAt(1, i)) });
    assert.ok(!crowdedSubnet.mayAccept("10.1.0.200"));
    assert.ok(crowdedSubnet.mayAccept("10.2.0.1"));
  });

  it("keeps places for outbound peers, and the maximum for all", () => {
    const limits = { maximum: 4, minimumOutbound: 2 };
    const inbounds = [1, 2].map((subnet) => peerAt(targetAt(subnet, 1), "inbound"));
    const half = gateOf({ limits, peers: tableOf(...inbounds) });
    assert.ok(!half.mayAccept("10.9.0.1"));
    assert.equal(half.refusal("new", inbound("10.9.0.1")), "tooManyPeers");
    assert.ok(half.mayDial("new", "10.9.0.1"));
    const outbounds = [3, 4].map((subnet) => peerAt(targetAt(subnet, 1), "outbound"));
    const full = gateOf({ limits, peers: tableOf(...inbounds, ...outbounds) });
    assert.ok(!full.mayDial("new", "10.9.0.1"));
    assert.equal(full.refusal("new", outbound("10.9.0.1")), "tooManyPeers");
  });

  it("admits trusted peers above the limits, without counting them", () => {
    const limits = { maximum: 1, minimumOutbound: 0 };
    const trusted = new Set(["t"]);
    const full = gateOf({ limits, trusted, peers: tableOf(peerAt(targetAt(1, 1), "inbound")) });
    assert.ok(full.mayAccept("10.9.0.1"), "it may be the trusted one");
    assert.ok(full.mayDial("t", "10.9.0.1"));
    assert.equal(full.refusal("t", inbound("10.9.0.1")), undefined);
    assert.equal(full.refusal("other", inbound("10.9.0.1")), "tooManyPeers");
    const only = gateOf({ limits, trusted, peers: tableOf(peerAt({ id: "t", host: "10.1.0.1" }, "inbound", true)) });
    assert.ok(only.mayAccept("10.9.0.1"));
    assert.equal(only.refusal("other", inbound("10.9.0.1")), undefined);
  });
});
