import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { DEVELOPMENT_LIMITS } from "@cambium/networking";
import { answerTo, nodeId, peerIdOf } from "@cambium/networking/testing";
import { fromHex, keccak256, utf8 } from "@cambium/primitives";
import { recordedBlocks, recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { type TestNode, type TestNodeOptions, until } from "@cambium/test-utils/peers/network-nodes";
import { claimsOf, RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { isQuestion } from "@cambium/test-utils/peers/recorded-content";
import { type SyncingNode, SyncingNodes } from "@cambium/test-utils/peers/syncing-nodes";
import { Block } from "@cambium/types";

const HEIGHT = 60;
const PUBLIC_PER_ADDRESS = 4;
const TOO_MANY_PEERS = 0x04;
const DISCONNECT = 0x01;

/**
 * Tests a node with a chain, an honest peer of it, and hostile ones, over the deployed network's wire
 * (`spec/07 §D.10`).
 */
describe("hostile peers over the deployed network's wire", () => {
  const nodes = new SyncingNodes();
  const raw: RawRlpxPeer[] = [];
  const sockets: Socket[] = [];
  let node: SyncingNode;
  let honest: TestNode;

  async function start(options: TestNodeOptions = {}): Promise<void> {
    node = await nodes.start({ wires: ["rlpx"], chain: await recordedChain("transfers", HEIGHT - 1), ...options });
    honest = await nodes.start({ wires: ["rlpx"], chain: await recordedChain("transfers", HEIGHT - 1) });
    await honest.network.dial(node.address);
    await until(() => node.network.peers().length === 1);
  }

  afterEach(async () => {
    for (const { socket } of raw.splice(0)) socket.destroy();
    for (const socket of sockets.splice(0)) socket.destroy();
    await nodes.end();
  });

  const target = () => {
    const url = new URL(node.address);
    return { port: Number(url.port), remoteId: fromHex(url.username) };
  };

  async function attacker(from?: string): Promise<RawRlpxPeer> {
    const peer = await RawRlpxPeer.dial({ ...target(), ...(from !== undefined && { from }) });
    raw.push(peer);
    await peer.meet(claimsOf(node.chain));
    return peer;
  }

  async function joined(from?: string): Promise<RawRlpxPeer> {
    const before = node.network.peers().length;
    const peer = await attacker(from);
    await until(() => node.network.peers().length > before);
    return peer;
  }

  function cardOf({ key }: RawRlpxPeer) {
    const { shown } = nodeId(peerIdOf(key.publicKey)!)!;
    return node.scoring.peerList().find(({ id, type }) => type === "node" && id === shown);
  }

  /** Fails unless the honest peer is connected and served. */
  async function assertHonestIsServed(): Promise<void> {
    const [peer] = honest.network.peers();
    assert.ok(peer !== undefined, "the honest peer is connected");
    const best = node.chain.best().hash;
    const headers = await honest.network.headers(peer.id, best, 10);
    assert.equal(headers.length, 10);
  }

  it("that flood it with requests are paced, and do not slow others down", async () => {
    await start();
    const peer = await joined();
    const { hash } = node.chain.best();
    for (let id = 1n; id <= 450n; id++) peer.sendMessage({ type: "blockHeadersRequest", id, hash, count: 192 });
    for (let i = 0; i < 450; i++) peer.sendMessage({ type: "getBlock", hash });
    await assertHonestIsServed();
    await until(() => peer.received.length > 100);
    await assertHonestIsServed();
    assert.ok(peer.received.length < 900, `${peer.received.length} answers`);
    assert.equal(cardOf(peer)?.repeatedMessages, 0);
  });

  it("that answer all but bodies do not stop its synchronisation, and are scored", async () => {
    const whole = await recordedChain("transfers", HEIGHT);
    await start({ chain: await recordedChain("transfers", 1) });
    await until(() => node.chain.best().header.number === HEIGHT - 1);
    const peer = await RawRlpxPeer.dial(target());
    raw.push(peer);
    const sources = { chain: whole, pooledTransaction: () => undefined, earliestBody: () => 0 };
    peer.onMessage = (message) => {
      if (!isQuestion(message) || message.type === "getBlock" || message.type === "bodyRequest") return;
      const answer = answerTo(message, sources);
      if (answer !== undefined) peer.sendMessage(answer);
    };
    await peer.meet(claimsOf(whole));
    // Only this peer claims a better block, so it gets the requests first.
    await until(() => peer.messages().some(({ type }) => type === "bodyRequest"));
    await honest.chain.import({ bytes: recordedBlocks("transfers")[HEIGHT - 1]!, source: "local" });
    await until(() => node.chain.best().header.number === HEIGHT);
    await until(() => cardOf(peer)?.timeoutMessages === 1);
    assert.equal(cardOf(peer)?.goodReputation, true);
    assert.ok(!peer.isClosed);
    await assertHonestIsServed();
  });

  it("that announce unknown blocks make it ask for a few", async () => {
    await start();
    const peer = await joined();
    const blocks = Array.from({ length: 300 }, (_, i) => ({ hash: keccak256(utf8(`${i}`)), number: HEIGHT + i }));
    peer.sendMessage({ type: "newBlockHashes", blocks });
    peer.sendMessage({ type: "newBlockHashes", blocks });
    await until(() => peer.messages().some(({ type }) => type === "blockRequest"));
    await assertHonestIsServed();
    assert.ok(peer.messages().filter(({ type }) => type === "blockRequest" || type === "getBlock").length <= 32);
  });

  it("that send a block without proof of work are punished, and the block goes nowhere", async () => {
    await start();
    const received: string[] = [];
    const ignore = (what: string) => async () => {
      received.push(what);
      return "ignore" as const;
    };
    honest.network.setGossipHandlers({
      block: async () => ({ verdict: await ignore("block")() }),
      blockHash: ignore("hash"),
      transactions: ignore("transactions"),
    });
    const peer = await joined();
    const [next, last] = [recordedBlocks("transfers")[HEIGHT - 1]!, node.chain.blockByNumber(HEIGHT - 1)!];
    const { header, transactions, uncles } = Block.decode(next, node.chain.network);
    const forged = header.with({ parentChainHeader: last.header.parentChainHeader });
    peer.sendMessage({ type: "block", block: new Block(forged, transactions, uncles).encode() });
    await waitUntil(() => peer.isClosed);
    assert.equal(cardOf(peer)?.invalidBlocks, 1);
    assert.equal(cardOf(peer)?.goodReputation, false);
    const good = await joined();
    good.sendMessage({ type: "block", block: next });
    await until(() => node.chain.best().header.number === HEIGHT);
    await until(() => received.length > 0);
    assert.deepEqual(received, ["hash"]);
    assert.equal(cardOf(good)?.validBlocks, 1);
  });

  it("that send lists of tiny transactions cost little", async () => {
    await start();
    const peer = await joined();
    const transactions = new Array<Uint8Array>(65_536).fill(fromHex("c0"));
    for (let i = 0; i < 20; i++) peer.sendMessage({ type: "transactions", transactions });
    await waitUntil(() => peer.isClosed, 10_000);
    await assertHonestIsServed();
  });

  it("that connect again and again from one address get the places of that address", async () => {
    await start({ limits: { ...DEVELOPMENT_LIMITS, perAddress: PUBLIC_PER_ADDRESS } });
    const peers = await Promise.all(Array.from({ length: 100 }, () => attacker("127.0.0.9").catch(() => undefined)));
    const isRefused = (peer: RawRlpxPeer | undefined) =>
      peer === undefined || peer.isClosed || peer.codes().includes(DISCONNECT);
    await until(() => peers.filter((peer) => !isRefused(peer)).length <= PUBLIC_PER_ADDRESS);
    await until(() => node.network.peers().length === 1 + PUBLIC_PER_ADDRESS);
    for (const peer of peers) {
      const reason = peer?.received.find(({ code }) => code === DISCONNECT)?.payload[1];
      if (reason !== undefined) assert.equal(reason, TOO_MANY_PEERS);
    }
    await joined("127.0.0.10");
    await assertHonestIsServed();
  });

  it("that never finish a handshake leave room for others", async () => {
    await start();
    const { port } = target();
    for (let i = 0; i < 100; i++) {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.9" });
      sockets.push(socket.on("error", () => undefined));
    }
    await until(() => sockets.filter(({ destroyed }) => destroyed).length >= 100 - 16);
    await joined("127.0.0.10");
    await assertHonestIsServed();
  });

  it("that change their claims all the time are believed nothing", async () => {
    await start();
    const peer = await joined();
    const claims = claimsOf(node.chain);
    for (let i = 1; i <= 400; i++) {
      const totalDifficulty = i % 2 === 0 ? 1n << 100n : 1n;
      peer.sendMessage({
        type: "status",
        ...claims,
        bestNumber: i,
        bestHash: keccak256(utf8(`${i}`)),
        totalDifficulty,
      });
    }
    await until(() => node.network.peers().some(({ status }) => status.bestNumber === 400));
    await assertHonestIsServed();
    // One search for a common block, of 16 heights a round.
    assert.ok(peer.messages().filter(({ type }) => type.endsWith("Request")).length <= 32);
    await node.chain.import({ bytes: recordedBlocks("transfers")[HEIGHT - 1]!, source: "sync" });
    await until(() => honest.chain.best().header.number === HEIGHT);
  });

  it("that answer what was not asked are counted", async () => {
    await start();
    const peer = await joined();
    for (let id = 1n; id <= 5n; id++) {
      peer.sendMessage({ type: "blockHashResponse", id: 1000n + id, hash: new Uint8Array(32) });
    }
    await until(() => cardOf(peer)?.unexpectedMessages === 5);
    assert.equal(cardOf(peer)?.goodReputation, true);
  });

  it("that flood it with requests for snapshots occupy it for a part of the time", async () => {
    let busy = 0;
    const chunk = (_: number, from: number) => {
      const end = performance.now() + 10;
      while (performance.now() < end);
      busy += 10;
      return { from, to: from + 51_200, complete: false, encoded: fromHex("c0") };
    };
    await start({ servesSnapshots: true, sources: { snapshots: { status: () => undefined, chunk } } });
    const peer = await joined();
    const began = performance.now();
    for (let id = 1n; id <= 500n; id++) {
      peer.sendMessage({ type: "snapStateChunkRequest", id, blockNumber: 1, from: 0, chunkSize: 50 });
    }
    await assertHonestIsServed();
    await until(() => peer.messages().some(({ type }) => type === "snapStateChunkResponse"));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.ok(busy < 0.4 * (performance.now() - began), `${busy} ms`);
  });
});
