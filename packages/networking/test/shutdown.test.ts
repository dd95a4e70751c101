import assert from "node:assert/strict";
import { connect, createServer, type Server, type Socket } from "node:net";
import { codeOf, type TestNode, TestNodes, until } from "@cambium/test-utils/peers/network-nodes";
import { RawPeer } from "@cambium/test-utils/peers/raw-peer";

/** Number of peers, above the number of listeners that an emitter may have without a warning. */
const PEERS = 12;

describe("stopping a network", () => {
  const nodes = new TestNodes();
  const ends: (() => unknown)[] = [];
  const failures: unknown[] = [];
  const onFailure = (reason: unknown) => failures.push(reason);
  const onWarning = (warning: Error) => {
    if (warning.name === "MaxListenersExceededWarning") failures.push(warning);
  };

  before(() => process.on("unhandledRejection", onFailure).on("warning", onWarning));

  after(() => {
    process.off("unhandledRejection", onFailure).off("warning", onWarning);
  });

  afterEach(async () => {
    await nodes.end();
    for (const end of ends.splice(0)) await end();
    assert.deepEqual(failures.splice(0), []);
  });

  async function rawPeer(): Promise<RawPeer> {
    const peer = await RawPeer.start();
    ends.push(() => peer.libp2p.stop());
    return peer;
  }

  /** Opens a port of this machine, and records incoming data. */
  async function listen(onSocket: (socket: Socket) => void): Promise<number> {
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket.on("error", () => undefined));
      onSocket(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as { port: number }).port;
  }

  it("ends with many peers, and notifies them", async () => {
    const node = await nodes.start({ discovery: true });
    const peers = await Promise.all(Array.from({ length: PEERS }, () => nodes.start()));
    for (const { network } of peers) await network.dial(node.address);
    await until(() => node.network.peers().length === PEERS);
    await nodes.stop(node);
    await until(() => peers.every(({ network }) => network.peers().length === 0));
  });

  it("ends with pending requests, and does not score the peers", async () => {
    const node = await nodes.start();
    const peers = await Promise.all(Array.from({ length: PEERS }, rawPeer));
    let arrived = 0;
    for (const peer of peers) {
      await peer.serve("headers", () => {
        arrived++;
      });
      await peer.meet(node);
    }
    await until(() => node.network.peers().length === PEERS);
    const asked = peers.map(({ id }) => codeOf(node.network.headers(id, new Uint8Array(32), 1)));
    await until(() => arrived === PEERS);
    await nodes.stop(node);
    assert.deepEqual(new Set(await Promise.all(asked)), new Set(["DISCONNECTED"]));
    assert.equal(node.scoring.reputationSummary().unexpectedMessages, 0);
  });

  it("ends with dead connections", async () => {
    const node = await nodes.start();
    const lines: Socket[] = [];
    const port = await listen((socket) => {
      const onward = connect(portOf(node), "127.0.0.1").on("error", () => undefined);
      lines.push(socket, onward);
      socket.pipe(onward);
      onward.pipe(socket);
    });
    for (let i = 0; i < PEERS; i++) {
      await (await rawPeer()).meet({ address: node.address.replace(/tcp\/\d+/, `tcp/${port}`) });
    }
    await until(() => node.network.peers().length === PEERS);
    for (const line of lines) line.unpipe().pause();
    await nodes.stop(node);
    for (const line of lines) line.destroy();
  });

  it("ends while it dials and is dialled", async () => {
    let isCalled = false;
    const port = await listen(() => {
      isCalled = true;
    });
    const { ownId } = (await nodes.start()).network;
    const address = `/ip4/127.0.0.1/tcp/${port}/p2p/${ownId}`;
    const node = await nodes.start({ bootNodes: [address] });
    const call = codeOf(node.network.dial(address));
    const caller = connect(portOf(node), "127.0.0.1").on("error", () => undefined);
    caller.resume();
    await until(() => isCalled && caller.readyState === "open");
    await nodes.stop(node);
    assert.equal(await call, "DISCONNECTED");
    await until(() => caller.destroyed);
  });

  it("ends while it searches for a router", async () => {
    const node = await nodes.start({ natTraversal: true, discovery: true });
    const peer = await nodes.start({ natTraversal: true, discovery: true });
    await node.network.dial(peer.address);
    // The search for routers is the only use of UDP in this test.
    await until(() => process.getActiveResourcesInfo().some((name) => name.startsWith("UDP")));
    assert.equal(node.network.peers().length, 1);
    await nodes.stop(node);
  });
});

function portOf({ address }: TestNode): number {
  return Number(/tcp\/(\d+)/.exec(address)![1]);
}
