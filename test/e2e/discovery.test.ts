import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeFolder, type PeerNode, startDiscoveringNode } from "@cambium/test-utils/peers/peer-nodes";
import { until } from "@cambium/test-utils/rpc-client";

const ABSENT_PEER = "16Uiu2HAmGyiR9kQm6Ha4k78jimLmvj3NyAQad3GfQrndYzZPmVfP";

describe("nodes with a single boot node", () => {
  let folder: string;
  const running = new Set<PeerNode>();

  before(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-discovery-"));
  });

  after(async () => {
    await Promise.all([...running].map(({ node }) => node.stop("SIGKILL")));
    rmSync(folder, { recursive: true });
  });

  async function start(index: number, bootNodes: string[], ...flags: string[]): Promise<PeerNode> {
    const node = await startDiscoveringNode(nodeFolder(folder, index), bootNodes, ...flags);
    running.add(node);
    return node;
  }

  async function stop(node: PeerNode): Promise<void> {
    running.delete(node);
    assert.equal(await node.node.stop(), 0);
  }

  /** Whether a node is connected to another. */
  async function knows({ rpc }: PeerNode, other: PeerNode): Promise<boolean> {
    const peers: string[] = await rpc.call("net_peerList");
    return peers.some((peer) => peer.startsWith(idOf(other)));
  }

  it("discover each other through it, and without it after a restart", async () => {
    const boot = await start(0, []);
    const [one, other] = await Promise.all([start(1, [boot.address]), start(2, [boot.address])]);
    await until(() => knows(one, other));
    await until(() => knows(other, one));
    await Promise.all([stop(boot), stop(other)]);
    // The node that dialled the other knows its address, and dials it again.
    const again = await start(2, [boot.address], "--p2p.port", portOf(other));
    assert.equal(idOf(again), idOf(other));
    await until(() => knows(again, one));
    await Promise.all([stop(one), stop(again)]);
  });

  it("stop while connecting to an unresponsive peer", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket.on("error", () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = silent.address() as AddressInfo;
      const calling = await start(3, [`/ip4/127.0.0.1/tcp/${port}/p2p/${ABSENT_PEER}`], "--p2p.nat");
      await until(async () => sockets.length > 0);
      await stop(calling);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});

function portOf({ address }: PeerNode): string {
  return address.match(/\/tcp\/(\d+)\//)![1]!;
}

function idOf({ address }: PeerNode): string {
  return address.split("/").at(-1)!;
}
