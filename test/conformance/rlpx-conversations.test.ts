import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Chain } from "@cambium/chain";
import { NETWORKS } from "@cambium/config";
import { timingsOf } from "@cambium/networking/testing";
import { equalBytes, toHex } from "@cambium/primitives";
import { RSK_CAPABILITIES, type RskMessage } from "@cambium/rlpx";
import { decodeHello } from "@cambium/rlpx/testing";
import { deployedBlocks, deployedChain, recordedBlocks, recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { collect, faultsOf, type TestNode, type TestNodeOptions, until } from "@cambium/test-utils/peers/network-nodes";
import { LOCAL_RLPX } from "@cambium/test-utils/peers/network-options";
import type { Answer, Question } from "@cambium/test-utils/peers/recorded-content";
import { Conversation } from "@cambium/test-utils/peers/recorded-conversations";
import { RecordedPeer, type RecordedPeerOptions } from "@cambium/test-utils/peers/recorded-peer";
import { type SyncingNode, SyncingNodes } from "@cambium/test-utils/peers/syncing-nodes";
import { sleep } from "@cambium/test-utils/rpc-client";
import { decodeBlockHeader } from "@cambium/types";

const NOT_LISTENING = { ...LOCAL_RLPX, hosts: [] };
/** The recorder's statements about itself. */
const CLIENT_ID = "cambium/v0.0.0/vectors";
const HELLO = 0x00;
const DISCONNECT = 0x01;

/**
 * Tests `test/vectors/rlpx/conversations` with a node in the recorder's place. In two of them, a node replaces only the
 * deployed client (`rlpx-recorders.test.ts`): a node neither dials in the old form nor lacks the capability.
 */
describe("recorded connections of the deployed client", () => {
  const nodes = new SyncingNodes();
  const peers: RecordedPeer[] = [];

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.stop();
    await nodes.end();
  });

  /** Returns options of a node with the recorder's keys and random bytes. */
  async function inPlaceOf(conversation: Conversation, options: TestNodeOptions): Promise<TestNodeOptions> {
    const folder = await nodes.folder();
    await writeFile(join(folder, "node-key"), conversation.ourKey);
    const recorded = { folder, clientId: CLIENT_ID, handshakeRandom: () => conversation.ourRandom() };
    return { wires: ["rlpx"], ...recorded, ...options };
  }

  /** Starts a node, and the deployed client that awaits its connection or has dialled it. */
  async function meet(
    name: string,
    options: TestNodeOptions = {},
    peerOptions: RecordedPeerOptions = {},
    start = (all: TestNodeOptions): Promise<TestNode> => nodes.startServing(all),
  ): Promise<{ conversation: Conversation; node: TestNode; peer: RecordedPeer }> {
    const conversation = Conversation.read(name);
    if (conversation.isDialled) {
      const node = await start(await inPlaceOf(conversation, options));
      const peer = await RecordedPeer.dial(conversation, Number(new URL(node.address).port), peerOptions);
      peers.push(peer);
      return { conversation, node, peer };
    }
    const peer = await RecordedPeer.listen(conversation, peerOptions);
    peers.push(peer);
    const node = await start(await inPlaceOf(conversation, { rlpx: NOT_LISTENING, ...options }));
    return { conversation, node, peer };
  }

  it("sync-from-rskj: a node downloads the chain", async () => {
    const { node, peer, conversation } = await meet("sync-from-rskj", {}, {}, (all) => nodes.start(all));
    await Promise.all([node.network.dial(peer.address), peer.play()]);
    await until(() => node.chain.best().header.number === 78);
    const recorded = recordedBlocks("rewards");
    const numbers = recorded.map((_, i) => i + 1);
    for (const n of numbers) {
      assert.ok(equalBytes(node.chain.encodedBlock(node.chain.hashByNumber(n)!)!, recorded[n - 1]!), `block ${n}`);
    }
    assert.equal(
      numbers.reduce((sum, n) => sum + node.chain.blockByNumber(n)!.uncles.length, 0),
      50,
    );
    // The recorder offered the first version only.
    const hello = decodeHello(ours(conversation, HELLO)!);
    assert.deepEqual(decodeHello(peer.received[0]!.payload), { ...hello, capabilities: RSK_CAPABILITIES });
    assert.deepEqual(faultsOf(node), []);
  });

  for (const name of ["rskj-long-sync", "rskj-old-form-dials", "time-outs", "responder-eager-hello"]) {
    it(`${name}: a node serves its chain`, async () => {
      const { chain } = await chainOf(Conversation.read(name));
      const { node, peer } = await meet(name, { chain });
      const dialled = Conversation.read(name).isDialled ? undefined : node.network.dial(peer.address);
      await Promise.all([dialled, peer.play()]);
      assert.deepEqual(faultsOf(node), []);
    });
  }

  for (const name of ["rskj-syncs-from-us", "rskj-redials-and-stalls"]) {
    it(`${name}: a node serves and announces its chain`, async () => {
      const { chain, blocks } = await chainOf(Conversation.read(name));
      let running: TestNode;
      const { node, peer } = await meet(name, { chain }, { act: (message) => repeat(message, running, blocks) });
      running = node;
      await peer.play();
      assert.deepEqual(faultsOf(node), []);
    });
  }

  it("p2p-version-5: a node closes the connection at the part of a split message", async () => {
    const { node, peer } = await meet("p2p-version-5");
    // The node's Hello has version 4, so no deployed node would split anything.
    await Promise.all([node.network.dial(peer.address).catch(() => undefined), peer.play()]);
    await until(() => peer.isClosed);
    assert.ok(node.scoring.peerList().some(({ invalidMessages }) => invalidMessages === 1));
  });

  for (const name of ["closed-unknown-code", "punished-invalid-block"]) {
    it(`${name}: a node that is disconnected without a reason fails its requests, and waits`, async () => {
      const conversation = Conversation.read(name);
      const peer = await RecordedPeer.listen(conversation);
      peers.push(peer);
      const rlpx = { ...NOT_LISTENING, nodes: [peer.address] };
      const { network, scoring } = await nodes.startServing(await inPlaceOf(conversation, { rlpx }));
      let asked: Promise<unknown> | undefined;
      network.on(({ kind, peer: { id } }) => {
        if (kind === "peerConnected") asked = network.hashes(id, [5]).catch((error) => error.code);
      });
      await peer.play();
      await until(() => peer.isClosed && asked !== undefined);
      assert.equal(await asked, "DISCONNECTED");
      await sleep(500);
      assert.equal(peer.connections, 1);
      assert.deepEqual(faultsOf({ scoring }), []);
    });
  }

  it("disconnect-is-ignored: a node closes the connection itself when it disconnects", async () => {
    const { node, peer, conversation } = await meet("disconnect-is-ignored");
    const [{ id }] = await Promise.all([node.network.dial(peer.address), peer.play()]);
    const answer = conversation.messages.find(({ message }) => message?.type === "blockHashResponse")!.message;
    assert(answer?.type === "blockHashResponse");
    assert.deepEqual(await node.network.hashes(id, [5]), [answer.hash]);
    await node.network.disconnect(id);
    await until(() => peer.isClosed);
    assert.equal(peer.received.at(-1)?.code, DISCONNECT);
    assert.deepEqual(faultsOf(node), []);
  });

  it("announcements-2: a node follows the blocks and the transactions of the deployed client", async () => {
    let running: SyncingNode | undefined;
    const start = async (options: TestNodeOptions) => {
      running = await nodes.start(options);
      return running;
    };
    const [block81, block82] = deployedBlocks().slice(80);
    const before = async ({ type }: RskMessage) => {
      const { chain, pool } = running!;
      if (type === "transactions") await until(() => chain.best().header.number === 81);
      if (type === "newBlockHashes") await until(() => pool.counts().pending === 4);
    };
    // The recorder requested the block by the message that is answered by `block`.
    const otherwise = (question: Question): Answer | undefined =>
      question.type === "blockRequest" ? { type: "blockResponse", id: question.id, block: block82! } : undefined;
    const chain = await deployedChain(80);
    const { node, peer } = await meet("announcements-2", { chain }, { before, otherwise }, start);
    await Promise.all([node.network.dial(peer.address), peer.play()]);
    await until(() => chain.best().header.number === 82);
    assert.deepEqual(
      [81, 82].map((number) => chain.encodedBlock(chain.hashByNumber(number)!)),
      [block81, block82],
    );
    await until(() => running!.pool.counts().pending === 0);
    const [card] = node.scoring.peerList();
    assert.deepEqual([card?.validBlocks, card?.validTransactions], [2, 4]);
    assert.deepEqual(peer.unanswered, []);
    assert.deepEqual(faultsOf(node), []);
  });

  it("main-network: a node of the main network accepts the deployed one", async () => {
    const network = NETWORKS.main;
    const { node, peer } = await meet("main-network", { network }, { network });
    const [{ id, status }] = await Promise.all([node.network.dial(peer.address), peer.play()]);
    assert.equal(status.clientId, "Ethereum(J)/v9.1.0/Linux/Dev/Java/MainNet");
    assert.equal(status.totalDifficulty, node.chain.best().totalDifficulty);
    const genesis = node.chain.genesis.hash;
    const [header] = await node.network.headers(id, genesis, 1);
    assert.deepEqual(header?.hash, genesis);
    const [block] = await collect(node.network.blocks(id, [genesis]));
    assert.deepEqual(block, node.chain.encodedBlock(genesis));
    assert.deepEqual(await node.network.skeleton(id, 0, 1), [{ hash: genesis, number: 0 }]);
    assert.equal((await collect(node.network.bodies(id, [genesis])))[0]?.transactions.length, 0);
  });

  it("p2p-version-4: a node receives many headers in one frame", async () => {
    const { node, peer } = await meet("p2p-version-4");
    const [{ id, status }] = await Promise.all([node.network.dial(peer.address), peer.play()]);
    assert.equal((await node.network.headers(id, status.bestHash, 192)).length, status.bestNumber);
  });

  it("snapshot-from-rskj: a node receives parts of a snapshot", async () => {
    const chain = await recordedChain("rewards");
    const { node, peer } = await meet("snapshot-from-rskj", {
      servesSnapshots: true,
      sources: { snapshots: NO_SNAPSHOTS },
    });
    const [{ id, capabilities }] = await Promise.all([node.network.dial(peer.address), peer.play()]);
    assert.equal(capabilities.servesSnapshots, true);
    const { blocks } = await node.network.snapshotStatus(id);
    assert.deepEqual(
      blocks.map(({ encoded }) => encoded),
      [chain.encodedBlock(chain.genesis.hash)],
    );
    const below = await node.network.snapshotBlocks(id, 12);
    assert.deepEqual(
      below.map(({ encoded }) => encoded),
      Array.from({ length: 11 }, (_, i) => chain.encodedBlock(chain.hashByNumber(i + 1)!)),
    );
    assert.deepEqual(
      below.map(({ totalDifficulty }) => totalDifficulty),
      Array.from({ length: 11 }, (_, i) => chain.totalDifficulty(chain.hashByNumber(i + 1)!)),
    );
  });

  for (const name of [
    "disconnect-wrong-network",
    "disconnect-wrong-genesis",
    "disconnect-wrong-version",
    "duplicate-node-id",
    "disconnect-second-hello",
  ]) {
    it(`${name}: a node does not dial again at once`, async () => {
      const conversation = Conversation.read(name);
      const peer = await RecordedPeer.listen(conversation);
      peers.push(peer);
      const rlpx = { ...NOT_LISTENING, nodes: [peer.address] };
      const node = await nodes.startServing(await inPlaceOf(conversation, { rlpx, timings: timingsOf(0.01) }));
      await peer.play();
      await until(() => peer.isClosed);
      await sleep(500);
      assert.equal(peer.connections, 1);
      assert.deepEqual(node.network.peers(), []);
    });
  }
});

/** Returns a recorded chain with the best block that the recorder claimed, and the blocks above it. */
async function chainOf({ messages }: Conversation): Promise<{ chain: Chain; blocks: Uint8Array[] }> {
  const claim = messages.find(({ isOurs, message }) => isOurs && message?.type === "status")!.message;
  assert(claim?.type === "status");
  for (const name of ["transfers", "invalid-fork-data", "rewards"]) {
    const chain = await recordedChain(name, claim.bestNumber);
    if (equalBytes(chain.best().hash, claim.bestHash)) return { chain, blocks: recordedBlocks(name) };
  }
  throw new Error(`no recorded chain has block ${claim.bestNumber} ${toHex(claim.bestHash)}`);
}

/** Lets a node send a message that the recorder sent. Returns whether it must send the same. */
async function repeat(
  message: RskMessage,
  { chain, network }: TestNode,
  blocks: readonly Uint8Array[],
): Promise<boolean> {
  const bring = async (height: number) => {
    for (let number = chain.best().header.number + 1; number <= height; number++) {
      await chain.import({ bytes: blocks[number - 1]!, source: "sync" });
    }
  };
  await until(() => network.peers().length === 1);
  const numberOf = (hash: Uint8Array) => blocks.findIndex((block) => equalBytes(hashOf(block), hash)) + 1;
  switch (message.type) {
    case "newBlockHashes": {
      const [{ hash, number }] = message.blocks as [{ hash: Uint8Array; number: number }];
      await bring(number);
      await network.publishBlockHash({ hash, number, totalDifficulty: 0n });
      return true;
    }
    case "block":
      await bring(blocks.findIndex((block) => equalBytes(block, message.block)) + 1);
      await network.publishBlock(message.block);
      return true;
    case "newBlockHash":
      // This node never sends such a message.
      await bring(numberOf(message.hash));
      return false;
    case "status":
      await bring(message.bestNumber);
      return false;
    default:
      return false;
  }
}

function hashOf(block: Uint8Array): Uint8Array {
  return decodeBlockHeader(block, NETWORKS.local).hash;
}

/** Payload of the first message with a code that the recorder sent. */
function ours({ messages }: Conversation, code: number): Uint8Array | undefined {
  return messages.find((message) => message.isOurs && message.code === code)?.payload;
}

/** Sources of a node that offers snapshots. */
const NO_SNAPSHOTS = { status: () => undefined, chunk: () => undefined };
