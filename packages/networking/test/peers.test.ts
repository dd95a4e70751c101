import assert from "node:assert/strict";
import { once } from "node:events";
import { stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { NETWORKS } from "@cambium/config";
import { codeOf, libp2pOf, type TestNode, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { data, RawPeer } from "@cambium/test-utils/peers/raw-peer";
import { DEVELOPMENT_LIMITS, type NetworkEvent, NetworkingError, type RunningNetwork } from "../src/index.js";
import { goodbyeProtocol } from "../src/libp2p/wire/goodbye.js";
import { type Status, statusProtocol } from "../src/libp2p/wire/status.js";
import { timingsOf } from "../src/shared/timings.js";

describe("peers", () => {
  const nodes = new TestNodes();
  const raw: RawPeer[] = [];

  afterEach(async () => {
    await nodes.end();
    for (const peer of raw.splice(0)) await peer.libp2p.stop();
  });

  async function rawPeer(): Promise<RawPeer> {
    const peer = await RawPeer.start();
    raw.push(peer);
    return peer;
  }

  describe("of another network", () => {
    it("share no protocol", async () => {
      const { genesis } = NETWORKS.local;
      const one = await nodes.start();
      const other = await nodes.start({
        network: { ...NETWORKS.local, genesis: { ...genesis, timestamp: genesis.timestamp + 1 } },
      });
      assert.equal(await codeOf(one.network.dial(other.address)), "DISCONNECTED");
      assert.deepEqual([one.network.peers(), other.network.peers()], [[], []]);
      // Only the peer is held responsible, not its address.
      assert.deepEqual(
        one.scoring.peerList().map(({ type, goodReputation }) => [type, goodReputation]),
        [["node", true]],
      );
    });

    it("are recognized by their chain id", async () => {
      const one = await nodes.start();
      const other = await nodes.start({ network: { ...NETWORKS.local, chainId: 99 } });
      assert.equal(await codeOf(one.network.dial(other.address)), "DISCONNECTED");
      await until(() => one.scoring.peerList()[0]?.invalidNetworks === 1);
      await until(() => other.scoring.peerList()[0]?.invalidNetworks === 1);
    });

    it("are not dialled again for an hour", async () => {
      const other = await nodes.start({ network: { ...NETWORKS.local, chainId: 99 } });
      let calls = 0;
      const silent = await silentServer();
      const bootNodes = [other.address, silent.addressOf(await nodes.start())];
      const one = await nodes.start({ bootNodes, timings: { ...timingsOf(), heartbeat: 100, redial: 50 } });
      one.network.on(() => calls++);
      await until(() => one.scoring.peerList()[0]?.invalidNetworks === 1);
      // Later heartbeats dial the other boot node.
      const { length } = silent.calls;
      await until(() => silent.calls.length === length + 4);
      await silent.close();
      assert.equal(one.scoring.peerList()[0]?.invalidNetworks, 1);
      assert.equal(calls, 0);
    });
  });

  describe("that connect", () => {
    it("must exchange status in time", async () => {
      const node = await nodes.start({ timings: timingsOf(0.3) });
      const peer = await rawPeer();
      await peer.serve("status", () => undefined);
      const connection = await peer.dial(node);
      await until(() => connection.status !== "open");
      const [card] = node.scoring.peerList();
      assert.deepEqual([card?.failedHandshakes, card?.successfulHandshakes], [1, 0]);
    });

    it("are asked for status if they do not ask", async () => {
      const node = await nodes.start({ timings: timingsOf(0.3) });
      const peer = await rawPeer();
      await peer.greet();
      await peer.dial(node);
      await until(() => node.network.peer(peer.id)?.status.clientId === "raw");
    });

    it("are announced, and again when their claims change", async () => {
      const node = await nodes.start({ timings: timingsOf(0.3) });
      const peer = await rawPeer();
      const events: NetworkEvent["kind"][] = [];
      node.network.on(({ kind }) => events.push(kind));
      const connection = await peer.meet(node);
      node.network.noteBest(peer.id, 9, new Uint8Array(32).fill(9), 1n);
      assert.equal(node.network.peer(peer.id)?.status.bestNumber, 0);
      node.network.noteBest(peer.id, 9, new Uint8Array(32).fill(9), peer.status.totalDifficulty + 1n);
      assert.equal(node.network.peer(peer.id)?.status.bestNumber, 9);
      // Status is exchanged again, after three seconds in this test.
      await until(() => node.network.peer(peer.id)?.status.bestNumber === 0);
      await peer.ask(connection, "goodbye", goodbyeProtocol.encodeRequest(1));
      await until(() => connection.status !== "open");
      assert.deepEqual(events, ["peerConnected", "peerStatus", "peerStatus", "peerDisconnected"]);
    });

    it("may leave one request for status without an answer, but not two in a row", async () => {
      const timings = { ...timingsOf(), firstByteFactor: 0.2, heartbeat: 100, statusAge: 2200 };
      const node = await nodes.start({ timings });
      const peer = await rawPeer();
      const connection = await peer.meet(node);
      const unanswered: number[] = [];
      let asked = 0;
      await peer.serve("status", (stream) => {
        if (asked++ % 2 === 0 || asked > 4) unanswered.push(asked);
        else return peer.respond(stream, data(statusProtocol.encodeItem(peer.status)));
      });
      await until(() => connection.status !== "open");
      assert.deepEqual(unanswered, [1, 3, 5, 6]);
      await until(() => node.network.peer(peer.id) === undefined);
    });

    it("keep one connection when both dial at once", async () => {
      const one = await nodes.start();
      const other = await nodes.start();
      await Promise.allSettled([one.network.dial(other.address), other.network.dial(one.address)]);
      await until(() => [one, other].every((node) => libp2pOf(node).getConnections().length === 1));
      await until(() => one.network.peers().length === 1 && other.network.peers().length === 1);
      assert.equal((await one.network.hashes(other.network.ownId, [0])).length, 1);
      assert.equal((await other.network.hashes(one.network.ownId, [0])).length, 1);
    });
  });

  describe("that misbehave", () => {
    it("are disconnected at once, and refused afterwards", async () => {
      const [one, other] = await nodes.pair();
      one.network.report(other.network.ownId, "INVALID_BLOCK");
      assert.equal(one.network.peers().length, 0);
      await until(() => other.network.peers().length === 0);
      assert.equal(await codeOf(other.network.dial(one.address)), "DISCONNECTED");
      assert.equal(await codeOf(one.network.dial(other.address)), "DISCONNECTED");
    });

    it("may send some invalid transactions", async () => {
      const [one, other] = await nodes.pair();
      for (let i = 0; i < 19; i++) one.network.report(other.network.ownId, "INVALID_TRANSACTION");
      assert.equal(one.network.peers().length, 1);
      one.network.report(other.network.ownId, "INVALID_TRANSACTION");
      assert.equal(one.network.peers().length, 0);
    });
  });

  describe("in numbers", () => {
    it("are refused above the limit of an address, but trusted ones are not", async () => {
      const callers = [await nodes.start(), await nodes.start(), await nodes.start(), await nodes.start()];
      const node = await nodes.start({
        limits: { ...DEVELOPMENT_LIMITS, perAddress: 2 },
        trustedPeers: [callers[3]!.network.ownId],
      });
      const codes: (string | undefined)[] = [];
      for (const { network } of callers.slice(0, 3)) codes.push(await codeOf(network.dial(node.address)));
      assert.deepEqual(codes, [undefined, undefined, "DISCONNECTED"]);
      // The node accepts three connections a second from an address that may have two.
      await until(async () => (await codeOf(callers[3]!.network.dial(node.address))) === undefined);
      assert.equal(node.network.peers().length, 3);
    });

    it("leave places for outbound peers", async () => {
      const callers = [await nodes.start(), await nodes.start(), await nodes.start()];
      const limits = { ...DEVELOPMENT_LIMITS, maximum: 3, target: 3, minimumOutbound: 1 };
      const node = await nodes.start({ limits });
      const codes: (string | undefined)[] = [];
      for (const { network } of callers) codes.push(await codeOf(network.dial(node.address)));
      assert.deepEqual(codes, [undefined, undefined, "DISCONNECTED"]);
      await node.network.dial(callers[2]!.address);
      assert.equal(node.network.peers().length, 3);
    });
  });

  describe("over restarts", () => {
    it("are dialled again by a node with the same key", async () => {
      const timings = timingsOf(0.1);
      const other = await nodes.start({ timings });
      const first = await nodes.start({ timings, discovery: true });
      const { folder } = first;
      const id = first.network.ownId;
      await first.network.dial(other.address);
      await until(() => other.network.peers().length === 1);
      assert.equal((await stat(join(folder, "node-key"))).mode & 0o777, 0o600);
      await until(() => remembers(first, other));
      await nodes.stop(first);
      await until(() => other.network.peers().length === 0);
      const again = await nodes.start({ timings, discovery: true, folder });
      assert.equal(again.network.ownId, id);
      await until(() => again.network.peers().length === 1);
    });

    it("boot nodes are dialled until they are connected", async () => {
      const timings = timingsOf(0.05);
      const boot = await nodes.start({ timings });
      const { folder, address } = boot;
      await nodes.stop(boot);
      const silent = await silentServer(Number(/\/tcp\/(\d+)/.exec(address)![1]));
      const node = await nodes.start({ timings, bootNodes: [address] });
      await until(() => silent.calls.length === 2);
      await silent.close();
      const listen = [address.replace(/\/p2p\/.*/, "")];
      await nodes.start({ timings, folder, listen });
      await until(() => node.network.peers().length === 1);
    });
  });

  it("that do not answer are dialled again at the next heartbeat", async () => {
    const silent = await silentServer();
    const timings = { ...timingsOf(), heartbeat: 500, redial: 250 };
    await nodes.start({ timings, bootNodes: [silent.addressOf(await nodes.start())] });
    // The loop would never end if only every second heartbeat dialled.
    await until(() => silent.calls.some((time, i) => time - silent.calls[i - 1]! < 750));
    await silent.close();
  });

  it("are dialled at every address of a boot node", async () => {
    const boot = await nodes.start();
    const dead = boot.address.replace(/tcp\/\d+/, "tcp/1");
    for (const bootNodes of [
      [boot.address, dead],
      [dead, boot.address],
    ]) {
      const node = await nodes.start({ bootNodes, timings: timingsOf(0.1) });
      await until(() => node.network.peers().length === 1);
    }
  });

  it("are found through others", async () => {
    const timings = timingsOf(0.1);
    const middle = await nodes.start({ timings, discovery: true });
    const one = await nodes.start({ timings, discovery: true, bootNodes: [middle.address] });
    const other = await nodes.start({ timings, discovery: true, bootNodes: [middle.address] });
    await until(() => one.network.peer(other.network.ownId) !== undefined);
  });

  describe("options", () => {
    it("are refused by name", async () => {
      assert.equal(await codeOf(nodes.start({ listen: ["nonsense"] })), "INVALID_OPTION");
      assert.equal(await codeOf(nodes.start({ bootNodes: ["/ip4/1.2.3.4/tcp/1"] })), "INVALID_OPTION");
      // A digit is missing.
      const stranger = "/ip4/1.2.3.4/tcp/1/p2p/16Uiu2HAmGyiR9kQm6Ha4k78jimLmvj3NyAQad3GfQrndYzZPmVf";
      assert.equal(await codeOf(nodes.start({ bootNodes: [stranger] })), "INVALID_OPTION");
      assert.equal(await codeOf(nodes.start({ trustedPeers: ["me"] })), "INVALID_OPTION");
      assert.equal(await codeOf(nodes.start({ clientId: "x".repeat(65) })), "INVALID_OPTION");
    });

    it("name the key that cannot be read and the address that cannot be listened on", async () => {
      const folder = await nodes.folder();
      for (const text of ["not a key", "0".repeat(64), "f".repeat(64)]) {
        await writeFile(join(folder, "node-key"), text);
        assert.equal(await codeOf(nodes.start({ folder })), "KEY_FILE");
      }
      const node = await nodes.start();
      const taken = node.address.replace(/\/p2p\/.*/, "");
      await assert.rejects(nodes.start({ listen: [taken] }), (error) => {
        assert(error instanceof NetworkingError && error.details.code === "LISTEN_FAILED");
        assert.match(error.details.reason, /^\/ip4\/127\.0\.0\.1\/tcp\/\d+: .*EADDRINUSE.*$/);
        return true;
      });
    });

    it("may leave a node without a port", async () => {
      const silent = await nodes.start({ listen: [] });
      assert.equal(silent.network.isListening, false);
      const node = await nodes.start();
      await silent.network.dial(node.address);
      await until(() => node.network.peers().length === 1);
      const listenPort = (network: RunningNetwork) => (network.peers()[0]!.status as Status).listenPort;
      assert.equal(listenPort(node.network), 0);
      assert.notEqual(listenPort(silent.network), 0);
    });
  });
});

/** Starts a server that ends every connection immediately. */
async function silentServer(port = 0) {
  const calls: number[] = [];
  const server = createServer((socket) => {
    calls.push(performance.now());
    socket.destroy();
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    /** Times of the dials. */
    calls,
    /** Returns the server's address with the peer id of a node. */
    addressOf: ({ address }: TestNode) =>
      address.replace(/\/tcp\/\d+/, `/tcp/${(server.address() as AddressInfo).port}`),
    close: () => new Promise<unknown>((resolve) => server.close(resolve)),
  };
}

/** Whether a node will dial another one after a restart. */
async function remembers(node: TestNode, other: TestNode): Promise<boolean> {
  const known = await libp2pOf(node).peerStore.all();
  const entry = known.find(({ id }) => id.toString() === other.network.ownId);
  return entry !== undefined && entry.tags.size > 0 && entry.addresses.length > 0;
}
