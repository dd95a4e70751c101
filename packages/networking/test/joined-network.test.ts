import assert from "node:assert/strict";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import type { BlockId, GossipHandlers, NetworkEvent, Peer, PeerId, Verdict, WireName } from "../src/interface.js";
import { JoinedNetwork } from "../src/joined-network.js";
import type { Wire } from "../src/network.js";

/** A wire that records its calls. */
class RecordingWire {
  readonly ownId = "own";
  readonly calls: string[] = [];
  handlers!: GossipHandlers;
  private readonly connected = new Map<PeerId, Peer>();
  private readonly listeners = new Set<(event: NetworkEvent) => void>();

  constructor(readonly name: WireName) {}

  get wire(): Wire {
    return this as unknown as Wire;
  }

  connect(id: PeerId): void {
    const peer = { id, wire: this.name, capabilities: UNLIMITED } as Peer;
    this.connected.set(id, peer);
    this.emit({ kind: "peerConnected", peer });
  }

  async disconnect(id: PeerId): Promise<void> {
    const peer = this.connected.get(id)!;
    this.connected.delete(id);
    this.emit({ kind: "peerDisconnected", peer });
  }

  peers(): Peer[] {
    return [...this.connected.values()];
  }

  peer(id: PeerId): Peer | undefined {
    return this.connected.get(id);
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    this.handlers = handlers;
  }

  canDial(address: string): boolean {
    return address === this.name;
  }

  readonly hashes = async () => this.record("hashes", []);
  readonly report = (peer: PeerId) => this.record(`report ${peer}`, undefined);
  readonly dial = async () => this.record("dial", {});
  readonly publishBlock = async () => this.record("publishBlock", undefined);
  readonly relayBlock = async ({ number }: BlockId, encoded: Uint8Array) =>
    this.record(`relayBlock ${number} ${encoded}`, undefined);
  readonly publishTransactions = async (encoded: readonly Uint8Array[]) =>
    this.record(`transactions ${encoded}`, undefined);
  readonly relayTransactions = async (encoded: readonly Uint8Array[]) => this.record(`relay ${encoded}`, undefined);
  readonly relayPending = async (encoded: readonly Uint8Array[]) => this.record(`pending ${encoded}`, undefined);

  private record<T>(call: string, result: T): T {
    this.calls.push(call);
    return result;
  }

  private emit(event: NetworkEvent): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

describe("two wires joined", () => {
  let libp2p: RecordingWire;
  let rlpx: RecordingWire;
  let network: JoinedNetwork;
  let events: string[];

  beforeEach(() => {
    libp2p = new RecordingWire("libp2p");
    rlpx = new RecordingWire("rlpx");
    network = new JoinedNetwork({ wires: [libp2p.wire, rlpx.wire], encodedBlock: ([byte]) => Uint8Array.of(byte!, 9) });
    events = [];
    network.on(({ kind, peer }) => events.push(`${kind} ${peer.id} ${peer.wire}`));
  });

  it("list the peers of both, and send requests to the wire of the peer", async () => {
    libp2p.connect("a");
    rlpx.connect("b");
    assert.deepEqual(
      network.peers().map(({ id }) => id),
      ["a", "b"],
    );
    await network.hashes("b", [1]);
    network.report("b", "INVALID_BLOCK");
    network.report("gone", "INVALID_BLOCK");
    assert.deepEqual(rlpx.calls, ["hashes", "report b"]);
    assert.deepEqual(libp2p.calls, ["report gone"]);
    assert.deepEqual(events, ["peerConnected a libp2p", "peerConnected b rlpx"]);
  });

  it("keep the preferred connection of a peer that connects over both", async () => {
    rlpx.connect("a");
    libp2p.connect("a");
    assert.equal(rlpx.peer("a"), undefined);
    assert.equal(network.peer("a")?.wire, "libp2p");
    rlpx.connect("a");
    assert.equal(rlpx.peer("a"), undefined);
    assert.equal(network.peers().length, 1);
    assert(!events.some((event) => event.startsWith("peerDisconnected")), events.join());
    await libp2p.disconnect("a");
    assert.equal(events.at(-1), "peerDisconnected a libp2p");
  });

  it("relay what one wire received, once accepted, on the other only", async () => {
    let verdict: Verdict = "ignore";
    const judge = async () => verdict;
    const block = async () => ({ verdict, block: { number: 1, hash: Uint8Array.of(1) } });
    network.setGossipHandlers({ block, blockHash: judge, transactions: judge });
    const receive = async () => {
      await rlpx.handlers.block(Uint8Array.of(1), "b");
      await rlpx.handlers.blockHash({ number: 2, hash: Uint8Array.of(2) }, "b");
      await libp2p.handlers.transactions([Uint8Array.of(3)], "a");
    };
    await receive();
    assert.deepEqual([libp2p.calls, rlpx.calls], [[], []]);
    verdict = "accept";
    await receive();
    assert.deepEqual(libp2p.calls, ["relayBlock 1 1", "relayBlock 2 2,9"]);
    assert.deepEqual(rlpx.calls, ["relay 3"]);
  });

  it("publish on both, and dial by the form of the address", async () => {
    await network.publishBlock(Uint8Array.of(1));
    await network.relayPending([Uint8Array.of(2)]);
    await network.dial("rlpx");
    assert.deepEqual(libp2p.calls, ["publishBlock", "pending 2"]);
    assert.deepEqual(rlpx.calls, ["publishBlock", "pending 2", "dial"]);
    await assert.rejects(network.dial("elsewhere"), /INVALID_OPTION/);
  });
});
