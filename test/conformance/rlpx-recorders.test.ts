import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Chain } from "@cambium/chain";
import { answerTo, nodeId, peerIdOf } from "@cambium/networking/testing";
import { concatBytes, fromHex, toHex } from "@cambium/primitives";
import { agreementKey, type RskMessage } from "@cambium/rlpx";
import { deployedBlocks, deployedChain, recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { faultsOf, type TestNodeOptions, until } from "@cambium/test-utils/peers/network-nodes";
import { claimsOf, RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { isQuestion } from "@cambium/test-utils/peers/recorded-content";
import { Conversation, type RecordedMessage } from "@cambium/test-utils/peers/recorded-conversations";
import { type SyncingNode, SyncingNodes } from "@cambium/test-utils/peers/syncing-nodes";
import { sleep } from "@cambium/test-utils/rpc-client";
import { Transaction } from "@cambium/types";

const HELLO = 0x00;
const DISCONNECT = 0x01;
const PONG = 0x03;
const FIRST_CAPABILITY_CODE = 0x10;
const BLOCK_BEFORE = 80;
/** Milliseconds in which a forbidden event must not happen. */
const QUIET = 300;

/**
 * Tests `test/vectors/rlpx/conversations` with a node in the place of the deployed client, with its key and its chain.
 */
describe("recorded connections to the deployed client", () => {
  const nodes = new SyncingNodes();
  const peers: RawRlpxPeer[] = [];
  const servers: Server[] = [];

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.socket.destroy();
    for (const server of servers.splice(0)) server.close();
    await nodes.end();
  });

  async function inPlaceOfPeer({ peerKey }: Conversation, options: TestNodeOptions): Promise<SyncingNode> {
    const folder = await nodes.folder();
    await writeFile(join(folder, "node-key"), peerKey);
    return nodes.start({ wires: ["rlpx"], folder, ...options });
  }

  /** Starts the recorder, which repeats its first packet. */
  async function dial(conversation: Conversation, node: SyncingNode): Promise<RawRlpxPeer> {
    const { port, username } = new URL(node.address);
    const peer = await RawRlpxPeer.dial({
      port: Number(port),
      remoteId: fromHex(username),
      key: agreementKey(fromHex(conversation.ourKey)),
      random: conversation.ourRandom(),
      form: conversation.authForm,
    });
    peers.push(peer);
    return peer;
  }

  /** Lets the recorder dial a node with the chain of the deployed client. */
  async function meet(name: string): Promise<{ conversation: Conversation; node: SyncingNode; peer: RawRlpxPeer }> {
    const conversation = Conversation.read(name);
    const node = await inPlaceOfPeer(conversation, { chain: await chainOf(conversation) });
    return { conversation, node, peer: await dial(conversation, node) };
  }

  /** Returns a peer that has the blocks of a chain, and serves those that the node requests. */
  async function recorder(node: SyncingNode, chain: Chain): Promise<RawRlpxPeer> {
    const url = new URL(node.address);
    const peer = await RawRlpxPeer.dial({ port: Number(url.port), remoteId: fromHex(url.username) });
    peers.push(peer);
    const sources = { chain, pooledTransaction: () => undefined, earliestBody: () => 0 };
    peer.onMessage = (message) => {
      if (!isQuestion(message) || message.type === "getBlock") return;
      const answer = answerTo(message, sources);
      if (answer !== undefined) peer.sendMessage(answer);
    };
    await peer.meet(claimsOf(node.chain));
    return peer;
  }

  const cardOf = ({ scoring }: SyncingNode, { key }: RawRlpxPeer) => {
    const { shown } = nodeId(peerIdOf(key.publicKey)!)!;
    return scoring.peerList().find(({ id, type }) => type === "node" && id === shown);
  };

  it("old-form-to-rskj: a node answers in the old form", async () => {
    const { conversation, node, peer } = await meet("old-form-to-rskj");
    await play(conversation, peer);
    await waitUntil(() => peer.isClosed);
    assert.equal(cardOf(node, peer)?.goodReputation, true);
  });

  it("p2p-version-5: a node sends whole messages, and closes the connection at a split one", async () => {
    const { conversation, peer } = await meet("p2p-version-5");
    await play(conversation, peer);
    await waitUntil(() => peer.isClosed);
    // The deployed client splits its answer, but would not read a split message itself.
    const headers = peer.messages().find(({ type }) => type === "blockHeadersResponse");
    assert(headers?.type === "blockHeadersResponse");
    assert.equal(headers.headers.length, 82);
  });

  it("closed-unknown-code: a node closes the connection", async () => {
    const { conversation, peer } = await meet("closed-unknown-code");
    await play(conversation, peer);
    await waitUntil(() => peer.isClosed);
    assert.ok(!peer.codes().includes(DISCONNECT));
  });

  it("disconnect-is-ignored: a node answers pings, and closes the connection at the Disconnect", async () => {
    const { conversation, node, peer } = await meet("disconnect-is-ignored");
    const end = conversation.messages.findIndex(({ isOurs, code }) => isOurs && code === DISCONNECT);
    await play(conversation, peer, conversation.messages.slice(0, end + 1));
    // The deployed client continues; it leaves closing to the sender.
    await waitUntil(() => peer.isClosed);
    assert.equal(cardOf(node, peer)?.goodReputation, true);
  });

  it("punished-invalid-block: a node closes the connection at once, and punishes the sender", async () => {
    const { conversation, node, peer } = await meet("punished-invalid-block");
    const end = conversation.messages.findIndex(({ message }) => message?.type === "block");
    await play(conversation, peer, conversation.messages.slice(0, end + 1));
    // The deployed client closes the connection at the next message.
    await waitUntil(() => peer.isClosed);
    assert.equal(cardOf(node, peer)?.invalidBlocks, 1);
    assert.equal(cardOf(node, peer)?.goodReputation, false);
  });

  it("responder-without-rsk: a node closes the connection that it has made", async () => {
    const conversation = Conversation.read("responder-without-rsk");
    const server = createServer();
    servers.push(server.listen(0, "127.0.0.1"));
    await once(server, "listening");
    const key = agreementKey(fromHex(conversation.ourKey));
    server.on("connection", async (socket) => {
      const peer = RawRlpxPeer.accept(socket, key);
      peers.push(peer);
      await waitUntil(() => peer.ack !== undefined);
      socket.write(peer.ack!);
      for (const { isOurs, code, payload } of conversation.messages) if (isOurs) peer.send(code, payload);
    });
    const { port } = server.address() as { port: number };
    const node = await inPlaceOfPeer(conversation, {});
    await assert.rejects(node.network.dial(`enode://${toHex(key.publicKey)}@127.0.0.1:${port}`));
    await waitUntil(() => peers[0]!.isClosed);
    assert.deepEqual(peers[0]!.codes(), [HELLO]);
  });

  it("announcements-1, -2: a node passes on blocks and transactions", async () => {
    const [first, second] = ["announcements-1", "announcements-2"].map(Conversation.read);
    const node = await inPlaceOfPeer(first!, { chain: await deployedChain(BLOCK_BEFORE) });
    const giving = await dial(first!, node);
    const other = await dial(second!, node);
    for (const peer of [giving, other]) await peer.meet(claimsOf(node.chain));
    await until(() => node.network.peers().length === 2);
    const [block81, block82] = deployedBlocks().slice(BLOCK_BEFORE);
    const [own, last, beforeLast] = transactionsOf(first!, true);
    const [byRpc] = transactionsOf(first!, false);

    await node.chain.import({ bytes: block81!, source: "local" });
    await until(() => news(giving).length === 1 && news(other).length === 1);
    giving.sendMessage({ type: "transactions", transactions: own! });
    await until(() => transactionsTo(other).length === 1);
    node.pool.add(Transaction.decode(byRpc![0]!), { local: true });
    await until(() => transactionsTo(other).length === 2);
    giving.sendMessage({ type: "transactions", transactions: last! });
    await until(() => node.pool.counts().queued === 1);
    await sleep(QUIET);
    assert.equal(transactionsTo(other).length, 2);
    giving.sendMessage({ type: "transactions", transactions: beforeLast! });
    await until(() => transactionsTo(other).length === 3);
    await node.chain.import({ bytes: block82!, source: "local" });
    await until(() => news(giving).length === 2 && news(other).length === 2);

    assert.deepEqual(transactionsTo(giving), transactionsOf(first!, false));
    assert.deepEqual(transactionsTo(other), transactionsOf(second!, false));
    // Each block is sent whole to one peer, and as a hash to the other, like from the deployed client.
    for (const i of [0, 1]) {
      assert.deepEqual([news(giving)[i]!.type, news(other)[i]!.type].sort(), ["block", "newBlockHashes"]);
    }
    assert.equal(cardOf(node, giving)?.validTransactions, 3);
  });

  it("relay-1, relay-2: a node passes on what one peer gives to the other", async () => {
    const start = 440;
    const whole = await recordedChain("invalid-fork-data");
    const node = await nodes.start({ wires: ["rlpx"], chain: await recordedChain("invalid-fork-data", start) });
    const [giving, receiving] = [await recorder(node, whole), await recorder(node, whole)];
    await until(() => node.network.peers().length === 2);
    const announced = () =>
      receiving.messages().flatMap((message) => (message.type === "newBlockHashes" ? message.blocks : []));
    const given = Conversation.read("relay-1").messages.filter(({ isOurs }) => isOurs);
    for (const { message } of given) {
      const isNews = message?.type === "newBlockHashes" || message?.type === "block";
      if (!isNews) continue;
      giving.sendMessage(message);
      await sleep(50);
    }
    // The deployed client announces the missing block. This node does the same, or announces the best block if it
    // downloads both.
    await until(() => announced().length === 3);
    const [first, second, third] = announced().map(({ number }) => number);
    assert.deepEqual([first, second], [441, 442]);
    assert.ok(third === 443 || third === 444);
    assert.deepEqual(
      giving.messages().filter(({ type }) => type === "newBlockHashes"),
      [],
    );
    assert.deepEqual(faultsOf(node), []);
  });
});

/** Returns the chain whose best block the deployed client claimed. */
async function chainOf({ messages }: Conversation): Promise<Chain> {
  const claim = messages.find(({ isOurs, message }) => !isOurs && message?.type === "status")!.message;
  assert(claim?.type === "status");
  const chain = await deployedChain(claim.bestNumber);
  assert.deepEqual(chain.best().hash, claim.bestHash);
  return chain;
}

/**
 * Sends the recorder's messages. Each waits until the node has sent everything that the deployed client had sent
 * before. Messages of the capability must be the same; one that the deployed client split is compared whole.
 */
async function play(
  { messages }: Conversation,
  peer: RawRlpxPeer,
  played: readonly RecordedMessage[] = messages,
): Promise<void> {
  const expected: Uint8Array[] = [];
  let pongs = 0;
  const sent = () => peer.received.filter(({ code }) => code >= FIRST_CAPABILITY_CODE).map(({ payload }) => payload);
  for (const { isOurs, code, payload, headerData } of played) {
    if (isOurs) {
      await waitUntil(() => sent().length >= expected.length);
      peer.send(code, payload, headerData);
    } else if (headerData !== undefined && isContinuation(headerData)) {
      expected.push(concatBytes(expected.pop()!, payload));
    } else if (code >= FIRST_CAPABILITY_CODE) expected.push(payload);
    else if (code === PONG) pongs++;
  }
  await waitUntil(() => peer.codes().filter((code) => code === PONG).length === pongs);
  assert.deepEqual(sent(), expected);
}

/** Whether a frame continues a message: its header data lacks the length of the message. */
function isContinuation(headerData: Uint8Array): boolean {
  return headerData[0] === 0xc2;
}

/** Returns one side's messages of transactions. */
function transactionsOf({ messages }: Conversation, isOurs: boolean): (readonly Uint8Array[])[] {
  return messages.flatMap(({ isOurs: isOf, message }) => {
    return isOf === isOurs && message?.type === "transactions" ? [message.transactions] : [];
  });
}

function transactionsTo(peer: RawRlpxPeer): (readonly Uint8Array[])[] {
  return peer.messages().flatMap((message) => (message.type === "transactions" ? [message.transactions] : []));
}

function news(peer: RawRlpxPeer): RskMessage[] {
  return peer.messages().filter(({ type }) => type === "block" || type === "newBlockHashes");
}
