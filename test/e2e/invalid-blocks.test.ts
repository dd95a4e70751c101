import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { peerIdOf } from "@cambium/networking/testing";
import { fromHex } from "@cambium/primitives";
import { atDepth } from "@cambium/test-utils/depth";
import { copyOf, lenientChain, Mine } from "@cambium/test-utils/mined-chains";
import { cardOf, clock, HostilePeers, idOf, isPeerOf } from "@cambium/test-utils/peers/hostile-peers";
import { bestOf, nodeFolder, type PeerNode, startPeerNode } from "@cambium/test-utils/peers/peer-nodes";
import { claimsOf, RawRlpxPeer } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { sleep, until } from "@cambium/test-utils/rpc-client";
import type { Block } from "@cambium/types";

const NODES = 5;
const isDeep = atDepth(false, true);
/** Number of attackers, which send two invalid blocks each: fewer than a peer is scored for. */
const ATTACKERS = 4;

/** Becomes a peer of a node; sends it blocks. */
type Join = (node: PeerNode) => Promise<(block: Block) => unknown>;

/** A block may fail in execution after it was relayed; the relays are honest (`spec/07 §D.8`). */
describe("honest nodes that relay blocks which fail in execution", () => {
  let folder: string;
  let peers: HostilePeers;
  let nodes: PeerNode[];
  let links: [from: number, to: number][];
  const sockets: RawRlpxPeer[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cambium-invalid-"));
    peers = new HostilePeers();
    nodes = [];
    links = [];
  });

  afterEach(async () => {
    for (const { socket } of sockets.splice(0)) socket.destroy();
    await peers.end();
    await Promise.all(nodes.map(({ node }) => node.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts the nodes, each connected over a wire to the earlier ones that `dials` returns. */
  async function start(dials: (index: number) => number[], wire: "libp2p" | "rlpx" = "libp2p"): Promise<void> {
    const wires = wire === "rlpx" ? ["--p2p.wires", "libp2p,rlpx", "--p2p.rlpx-port", "0"] : [];
    const flag = wire === "rlpx" ? "--p2p.nodes" : "--p2p.bootnodes";
    for (let i = 0; i < NODES; i++) {
      const known = dials(i);
      const addresses = known.map((index) => (wire === "rlpx" ? enodeOf(nodes[index]!) : nodes[index]!.address));
      const dialling = known.length > 0 ? [flag, addresses.join(" ")] : [];
      nodes.push(await startPeerNode(nodeFolder(folder, i), [], ...wires, ...dialling));
      for (const index of known) links.push([i, index]);
    }
    await until(areLinked);
    await minedEverywhere();
  }

  async function areLinked(): Promise<boolean> {
    const connected = links.map(async ([from, to]) => isPeerOf(nodes[from]!, idOf(nodes[to]!)));
    return (await Promise.all(connected)).every(Boolean);
  }

  /** Mines at the last node until one block is every node's best one. */
  async function minedEverywhere(): Promise<void> {
    for (let left = 20; ; left--) {
      await nodes.at(-1)!.rpc.call("evm_mine");
      const agree = async () => new Set((await Promise.all(nodes.map(bestOf))).map(({ hash }) => hash)).size === 1;
      try {
        return await until(agree, 3000);
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  /** Returns different blocks with real work and a wrong state root, on the best block of all nodes. */
  async function invalidBlocks(count: number): Promise<Block[]> {
    const chain = await peers.chainOf(nodes[0]!);
    const blocks: Block[] = [];
    for (let i = 0; i < count; i++) {
      const copy = await copyOf(chain, chain.best().header.number, await lenientChain(clock));
      blocks.push(await new Mine(copy, "a", clock).changed({ stateRoot: new Uint8Array(32).fill(i + 1) }));
    }
    return blocks;
  }

  async function holdOut(join: Join): Promise<void> {
    const attackers: Awaited<ReturnType<Join>>[] = [];
    for (let i = 0; i < ATTACKERS; i++) attackers.push(await join(nodes[i % 2]!));
    await minedEverywhere();
    const [together, ...singly] = chunks(await invalidBlocks(2 * ATTACKERS), ATTACKERS);
    await Promise.all(attackers.map((send, i) => send(together![i]!)));
    await sleep(1000);
    // Each node has executed a block before it receives the next.
    for (const [i, block] of singly.flat().entries()) {
      await attackers[i]!(block);
      await sleep(300);
    }
    await minedEverywhere();
    assert(await areLinked());
    for (const node of nodes) {
      for (const other of nodes) {
        const card = await cardOf(node, idOf(other));
        assert.deepEqual([card?.invalidBlocks ?? 0, card?.punishments ?? 0], [0, 0]);
      }
    }
  }

  const overLibp2p: Join = async (node) => {
    const attacker = await peers.start(await peers.chainOf(node));
    await attacker.dial(node.address);
    let isInMesh = false;
    const receive = async () => {
      isInMesh = true;
      return "ignore" as const;
    };
    attacker.setGossipHandlers({
      block: async () => ({ verdict: await receive() }),
      blockHash: receive,
      transactions: receive,
    });
    while (!isInMesh) {
      await minedEverywhere();
      await until(async () => isInMesh, 500).catch(() => undefined);
    }
    return (block) => attacker.publishBlock(block.encode());
  };

  const overRlpx: Join = async (node) => {
    const url = new URL(enodeOf(node));
    const attacker = await RawRlpxPeer.dial({ remoteId: fromHex(url.username), port: Number(url.port) });
    sockets.push(attacker);
    await attacker.meet(claimsOf(await peers.chainOf(node)));
    await until(() => isPeerOf(node, peerIdOf(attacker.key.publicKey)!));
    return (block) => attacker.sendMessage({ type: "block", block: block.encode() });
  };

  it("stay connected in a line", async () => {
    await start(line);
    await holdOut(overLibp2p);
  });

  if (isDeep)
    it("stay connected in a mesh", async () => {
      await start(mesh);
      await holdOut(overLibp2p);
    });

  if (isDeep)
    it("stay connected in a line over the deployed network's wire", async () => {
      await start(line, "rlpx");
      await holdOut(overRlpx);
    });
});

const line = (index: number) => (index === 0 ? [] : [index - 1]);
const mesh = (index: number) => Array.from({ length: index }, (_, earlier) => earlier);

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: items.length / size }, (_, i) => items.slice(i * size, (i + 1) * size));
}

function enodeOf({ node }: PeerNode): string {
  return node.greeting.match(/enode:\/\/\w+@127\.0\.0\.1:\d+/)![0];
}
