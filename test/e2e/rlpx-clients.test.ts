import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { peerIdOf } from "@cambium/networking/testing";
import { encodeRlp, fromHex, numberToBytes, utf8 } from "@cambium/primitives";
import { agreementKey } from "@cambium/rlpx";
import { newPrivateKey } from "@cambium/rlpx/testing";
import { recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { faultsOf, type TestNode, until } from "@cambium/test-utils/peers/network-nodes";
import { claimsOf, type RawClaims, RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { Conversation } from "@cambium/test-utils/peers/recorded-conversations";
import { SyncingNodes } from "@cambium/test-utils/peers/syncing-nodes";
import { vectorPath } from "@cambium/test-utils/vectors";

const HELLO = 0x00;
const NETWORK_STATUS = 0x10;
const MESSAGE = 0x18;
const STATUS = Uint8Array.of(1);
const FOLLOW_UP = { type: "blockHashRequest", id: 12_241n, height: 5 } as const;
const HEIGHT = 60;

describe("clients of the deployed network", () => {
  const nodes = new SyncingNodes();
  const sockets: { destroy(): void }[] = [];

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await nodes.end();
  });

  const startNode = async () => nodes.start({ wires: ["rlpx"], chain: await recordedChain("transfers", HEIGHT) });

  async function dial(node: TestNode, key = agreementKey(newPrivateKey())): Promise<RawRlpxPeer> {
    const { port, username } = new URL(node.address);
    const peer = await RawRlpxPeer.dial({ port: Number(port), remoteId: fromHex(username), key });
    sockets.push(peer.socket);
    return peer;
  }

  const peerOf = (node: TestNode, { key }: RawRlpxPeer) => node.network.peer(peerIdOf(key.publicKey)!);
  const statusesOf = (peer: RawRlpxPeer) => peer.messages().filter(({ type }) => type === "status");

  it("of the first: a recorded Hello and Status of rskj", async () => {
    const recorded = Conversation.read("sync-from-rskj");
    const chain = await recordedChain("rewards");
    const node = await nodes.startServing({ wires: ["rlpx"], chain });
    const peer = await dial(node, agreementKey(fromHex(recorded.peerKey)));
    for (const code of [HELLO, NETWORK_STATUS, MESSAGE]) {
      const message = recorded.messages.find((one) => !one.isOurs && one.code === code)!;
      peer.send(code, message.payload);
    }
    await until(() => peerOf(node, peer) !== undefined);
    const { status } = peerOf(node, peer)!;
    assert.match(status.clientId, /^Ethereum\(J\)\/v9\.1\.0/);
    assert.deepEqual([status.bestNumber, status.earliestBody], [78, 0]);
    await waitUntil(() => statusesOf(peer).length > 0);
    // The status has four elements, as for all peers of version 62.
    const [own] = statusesOf(peer);
    assert.ok(own?.type === "status" && own.totalDifficulty !== undefined && own.earliestBlock === undefined);
    assert.deepEqual(faultsOf(node), []);
  });

  /** Constructed from the third client's description, because there is no recording: it offers both versions. */
  function helloOfThird(peer: RawRlpxPeer): Uint8Array {
    const offered = [
      ["rsk", 62],
      ["rsk", 63],
      ["snap", 1],
    ] as const;
    const capabilities = offered.map(([name, version]) => [utf8(name), numberToBytes(version)]);
    const port = numberToBytes(30_303);
    return encodeRlp([numberToBytes(4), utf8("Rustock/0.1.0"), capabilities, port, peer.key.publicKey]);
  }

  function statusOfThird(
    { bestNumber, bestHash, bestParentHash, totalDifficulty }: RawClaims,
    count: 2 | 5,
  ): Uint8Array {
    const difficulty = Uint8Array.of(0, ...fromHex(totalDifficulty.toString(16).padStart(24, "0")));
    const all = [numberToBytes(bestNumber), bestHash, bestParentHash, difficulty, numberToBytes(40)];
    return encodeRlp([[STATUS, encodeRlp(all.slice(0, count))]]);
  }

  it("of the third: a Status of two elements, of five, and a range", async () => {
    const node = await startNode();
    const peer = await dial(node);
    const claims = claimsOf(node.chain);
    peer.send(HELLO, helloOfThird(peer));
    peer.sendMessage({ type: "networkStatus", ...claims });
    peer.send(MESSAGE, statusOfThird(claims, 2));
    await until(() => peerOf(node, peer) !== undefined);
    const status = () => peerOf(node, peer)!.status;
    assert.equal(status().clientId, "Rustock/0.1.0");
    assert.deepEqual([status().bestNumber, status().totalDifficulty], [0, 0n]);
    peer.send(MESSAGE, statusOfThird(claims, 5));
    await until(() => status().earliestBody === 40);
    assert.deepEqual([status().bestNumber, status().totalDifficulty], [HEIGHT, claims.totalDifficulty]);
    peer.sendMessage({ type: "blockRange", earliest: 50, latest: HEIGHT, latestHash: claims.bestHash });
    await until(() => status().earliestBody === 50);
    // A later draft adds this type: version 63 ignores it.
    peer.send(MESSAGE, encodeRlp([[Uint8Array.of(27), encodeRlp([numberToBytes(1), [claims.bestHash]])]]));
    assert.equal((await peer.ask(FOLLOW_UP))?.type, "blockHashResponse");
    await waitUntil(() => statusesOf(peer).length > 0);
    const [own] = statusesOf(peer);
    assert.ok(own?.type === "status" && own.earliestBlock === 0);
    assert.deepEqual(faultsOf(node), []);
  });

  it("of the second: two nodes of this project agree on version 63", async () => {
    const [first, second] = [await startNode(), await startNode()];
    await first.network.dial(second.address);
    await until(() => second.network.peers().length === 1);
    assert.deepEqual(first.network.peers()[0]?.status.earliestBody, 0);
    assert.deepEqual([...faultsOf(first), ...faultsOf(second)], []);
  });

  it("that negotiate version 62 must not send a range", async () => {
    const node = await startNode();
    const peer = await dial(node);
    await peer.meet(claimsOf(node.chain));
    const { hash } = node.chain.best();
    peer.sendMessage({ type: "blockRange", earliest: 1, latest: HEIGHT, latestHash: hash });
    await waitUntil(() => peer.isClosed);
  });

  describe("that send a message over a connection", () => {
    const text = gunzipSync(readFileSync(vectorPath("rlpx", "wire-messages.tsv.gz"))).toString();
    const rows = text
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t") as [name: string, code: string, payload: string, deployed: string])
      // Messages with code 0x10 belong to another network, and blocks are checked by their content.
      .filter(([, code, , deployed]) => code === "18" && !deployed.includes("Transactions trie root"));

    it("are answered afterwards if the deployed client reads it, and disconnected if it does not", async () => {
      const node = await nodes.startServing({ wires: ["rlpx"], chain: await recordedChain("transfers", HEIGHT) });
      for (const [name, , payload, deployed] of rows) {
        const peer = await dial(node);
        await peer.meet(claimsOf(node.chain));
        await until(() => peerOf(node, peer) !== undefined);
        peer.send(MESSAGE, fromHex(payload));
        peer.sendMessage(FOLLOW_UP);
        const answer = await peer.answerTo(FOLLOW_UP.id);
        assert.equal(answer?.type, deployed.startsWith("OK") ? "blockHashResponse" : undefined, name);
        peer.socket.destroy();
        await until(() => peerOf(node, peer) === undefined);
      }
    });
  });
});
