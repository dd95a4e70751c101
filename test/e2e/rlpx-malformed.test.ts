import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { nodeId, peerIdOf } from "@cambium/networking/testing";
import { concatBytes, EMPTY_BYTES, encodeRlp, fromHex, keccak256 } from "@cambium/primitives";
import type { RskMessage } from "@cambium/rlpx";
import { decodeDisconnect, decodeHello, type Hello } from "@cambium/rlpx/testing";
import { readVector, recordedBlocks, recordedChain } from "@cambium/test-utils/chains/chain-vectors";
import { type TestNode, until } from "@cambium/test-utils/peers/network-nodes";
import { claimsOf, RawRlpxPeer, waitUntil } from "@cambium/test-utils/peers/raw-rlpx-peer";
import { type SyncingNode, SyncingNodes } from "@cambium/test-utils/peers/syncing-nodes";
import { vectorPath } from "@cambium/test-utils/vectors";

interface RecordedMessage {
  code: number;
  payload: string;
}

/** A case of `malformed.json`: the deployed client's reaction to input that it never sends itself. */
interface RecordedCase {
  name: string;
  /** A handshake packet, messages after the handshake, one message, or a block of the chain vectors. */
  input: { auth?: string; sent?: readonly RecordedMessage[]; vector?: string } & Partial<RecordedMessage>;
  closed: boolean;
  result: string;
  events: Events;
}

type Events = Readonly<Record<string, number>>;

/** Fate of the connection. */
type Outcome = "goes on" | "closed" | "silent";

interface Played {
  outcome: Outcome;
  /** Reason in the node's Disconnect. */
  reason: number | undefined;
  /** Counters of the peer's offences. */
  events: Events;
}

/** Node key of the recorded deployed client, which opens its handshake packets. */
const RECORDED_KEY = "11".repeat(32);
const CLIENT_ID = "raw";
const HELLO = 0x00;
const DISCONNECT = 0x01;
const PING = 0x02;
const MESSAGE = 0x18;
const EMPTY_LIST = fromHex("c0");
const FOLLOW_UP = { type: "blockHashRequest", id: 12_241n, height: 5 } as const;
const BAD = [
  "invalidNetworks",
  "repeatedMessages",
  "invalidBlocks",
  "invalidTransactions",
  "invalidMessages",
  "timeoutMessages",
  "unexpectedMessages",
  "invalidHeader",
] as const;

const { cases } = JSON.parse(readVector(vectorPath("rlpx", "malformed.json"))) as { cases: readonly RecordedCase[] };
const invalid = JSON.parse(readVector(vectorPath("chains", "invalid.json.gz"))) as {
  cases: readonly { name: string; block: string }[];
};

describe("malformed input over the deployed network's wire", () => {
  const nodes = new SyncingNodes();
  let node: SyncingNode;
  let judging: SyncingNode;
  let honest: TestNode[];

  async function start(chain: SyncingNode["chain"]): Promise<SyncingNode> {
    const folder = await nodes.folder();
    await writeFile(join(folder, "node-key"), RECORDED_KEY);
    return nodes.start({ chain, folder, wires: ["libp2p", "rlpx"] });
  }

  before(async () => {
    node = await start(await recordedChain("rewards"));
    judging = await start(await recordedChain("invalid"));
    honest = [await nodes.start({ wires: ["libp2p"] }), await nodes.start({ wires: ["rlpx"] })];
    const [libp2p] = node.network.listenAddresses();
    await honest[0]!.network.dial(libp2p!);
    await honest[1]!.network.dial(enodeOf(node));
    await until(() => honest.every(({ chain }) => chain.best().header.number === node.chain.best().header.number));
  });

  after(() => nodes.end());

  for (const recorded of cases) {
    it(recorded.name, async () => {
      const { outcome, reason, events } = await played(recorded, recorded.input.vector === undefined ? node : judging);
      assert.equal(outcome, expectedOutcome(recorded));
      const recordedReason = /Disconnect\((\w\w)\)/.exec(recorded.result)?.[1];
      if (recordedReason !== undefined) assert.equal(reason, Number.parseInt(recordedReason, 16));
      assert.deepEqual(events, eventsOf(recorded, outcome));
      assert.ok(honest.every(({ network }) => network.peers().length === 1));
    });
  }

  it("leaves honest peers of both kinds connected and served", async () => {
    assert.deepEqual(
      honest.map(({ network }) => network.peers().map(({ wire }) => wire)),
      [["libp2p"], ["rlpx"]],
    );
    for (const { network } of honest) {
      const [peer] = network.peers();
      assert.deepEqual(await network.hashes(peer!.id, [5]), [node.chain.hashByNumber(5)]);
    }
  });
});

function enodeOf({ network }: TestNode): string {
  return network.listenAddresses().find((address) => address.startsWith("enode:"))!;
}

/** Plays a case as a new peer. Its scoring events are those of its node id, or of no id if the handshake fails. */
async function played(recorded: RecordedCase, node: SyncingNode): Promise<Played> {
  const url = new URL(enodeOf(node));
  const port = Number(url.port);
  if (recorded.input.auth !== undefined)
    return { outcome: await outcomeOfAuth(recorded, port), reason: undefined, events: {} };
  const peer = await RawRlpxPeer.dial({ port, remoteId: fromHex(url.username) });
  await send(recorded, peer, node);
  peer.sendMessage(FOLLOW_UP);
  const answer = await peer.answerTo(FOLLOW_UP.id).catch(() => "silent" as const);
  peer.socket.destroy();
  await until(() => node.network.peers().every(({ status }) => status.clientId !== CLIENT_ID));
  const outcome = answer === "silent" ? answer : answer === undefined ? "closed" : "goes on";
  const disconnect = peer.received.find(({ code }) => code === DISCONNECT);
  return { outcome, reason: disconnect && decodeDisconnect(disconnect.payload), events: badEvents(node, peer) };
}

/** Returns the counters of a peer's offences that are not 0. */
function badEvents({ scoring }: SyncingNode, { key }: RawRlpxPeer): Events {
  const { shown } = nodeId(peerIdOf(key.publicKey)!)!;
  const report = scoring.peerList().find(({ id, type }) => type === "node" && id === shown);
  const counts = BAD.map((event) => [event, report?.[event] ?? 0] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function expectedOutcome({ name, closed, result }: RecordedCase): Outcome {
  if (STRICTER.includes(name)) return "closed";
  if (LENIENT.includes(name)) return "goes on";
  if (closed) return "closed";
  return result.startsWith("no answer") ? "silent" : "goes on";
}

function eventsOf({ name, events, input }: RecordedCase, outcome: Outcome): Events {
  const own = EVENTS[name];
  if (own !== undefined) return own;
  const isMessage = !name.startsWith("hello") && !name.startsWith("first message") && input.auth === undefined;
  if (outcome === "closed" && isMessage && Object.keys(recordedBad(events)).length === 0) return { invalidMessages: 1 };
  return recordedBad(events);
}

function recordedBad(events: Events): Events {
  return Object.fromEntries(Object.entries(events).filter(([event]) => BAD.some((bad) => bad === event)));
}

/** Returns whether the packet is answered; the initiator's key is unknown, so nothing else can be seen. */
async function outcomeOfAuth({ name, input }: RecordedCase, port: number): Promise<Outcome> {
  const auth = fromHex(input.auth!);
  const cut = Number(/split (?:before|at|after) (\d+)/.exec(name)?.[1] ?? auth.length);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  let answer = 0;
  socket.on("data", ({ length }) => (answer += length)).on("error", () => undefined);
  socket.write(auth.subarray(0, cut));
  await new Promise((resolve) => setTimeout(resolve, 20));
  socket.write(auth.subarray(cut));
  await waitUntil(() => answer > 0 || socket.destroyed, 300).catch(() => undefined);
  const outcome = answer > 0 ? "goes on" : socket.destroyed ? "closed" : "silent";
  socket.destroy();
  return outcome;
}

async function send({ name, input }: RecordedCase, peer: RawRlpxPeer, node: SyncingNode): Promise<void> {
  const { sent = [], code, payload, vector } = input;
  const changedHello = HELLOS[name];
  if (changedHello !== undefined) return greetAs(peer, node, changedHello);
  const replacesHello = sent[0]?.code === HELLO && name !== "second hello";
  if (!replacesHello && !name.startsWith("first message")) await peer.meet(claimsOf(node.chain));
  const special = SPECIAL[name];
  if (special !== undefined) special(peer, node);
  else if (vector !== undefined) sendBlock(peer, invalidBlock(vector));
  else if (code !== undefined) peer.send(code, fromHex(payload!));
  else for (const message of sent) if (!isFollowUp(message)) peer.send(message.code, ownPayload(message, peer));
}

function isFollowUp({ code, payload }: RecordedMessage): boolean {
  return code === MESSAGE && payload === "cac90887c683012fd1c105";
}

/** A Hello contains the node id of its sender. */
function ownPayload({ code, payload }: RecordedMessage, peer: RawRlpxPeer): Uint8Array {
  const bytes = fromHex(payload);
  if (code !== HELLO || bytes.length < 64) return bytes;
  const { nodeId } = decodeHello(bytes);
  const at = Buffer.from(bytes).indexOf(nodeId);
  return concatBytes(bytes.subarray(0, at), peer.key.publicKey, bytes.subarray(at + nodeId.length));
}

function invalidBlock(vector: string): Uint8Array {
  const name = vector.split(" case ")[1];
  return fromHex(invalid.cases.find((one) => one.name === name)!.block.slice(2));
}

function sendBlock(peer: RawRlpxPeer, block: Uint8Array): void {
  peer.send(MESSAGE, encodeRlp([[Uint8Array.of(2), encodeRlp([block])]]));
}

/** Blocks of another chain than that of the node. */
const FORK = recordedBlocks("invalid-fork-data");

function hashRequest(): Uint8Array {
  return fromHex("c7c60884c363c107");
}

function sendTransaction(peer: RawRlpxPeer, transaction: Uint8Array): void {
  peer.sendMessage({ type: "transactions", transactions: [transaction] });
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, bytes.at(at)! ^ 1);
}

function headers({ chain }: SyncingNode, form: "full" | "compressed"): RskMessage {
  return { type: "blockHeadersResponse", id: 12_345n, headers: [chain.best().header.encode(form)] };
}

const RSK = { name: "rsk", version: 62 };

/** A Hello with changes, and the rest of an honest greeting. */
async function greetAs(peer: RawRlpxPeer, { chain }: SyncingNode, changes: Partial<Hello>): Promise<void> {
  await peer.greet(changes);
  peer.sendMessage({ type: "networkStatus", ...claimsOf(chain) });
  peer.sendMessage({ type: "status", ...claimsOf(chain) });
}

/** Changes of Hello for cases whose Hello was not recorded. */
const HELLOS: Readonly<Record<string, Partial<Hello>>> = {
  "hello p2p 5": { p2pVersion: 5 },
  "hello eth 62 rsk 62 63 snap 1 zzz 7": {
    capabilities: [
      { name: "eth", version: 62 },
      RSK,
      { name: "rsk", version: 63 },
      { name: "snap", version: 1 },
      { name: "zzz", version: 7 },
    ],
  },
  "hello other node id": { nodeId: new Uint8Array(64).fill(1) },
  "hello short node id": { nodeId: Uint8Array.of(1, 2, 3) },
  "hello long client id": { clientId: "x".repeat(5000) },
};

/** Cases whose input was not recorded, or which need more than messages. */
const SPECIAL: Readonly<Record<string, (peer: RawRlpxPeer, node: SyncingNode) => unknown>> = {
  "frame header mac": (peer) => peer.socket.write(flipped(peer.message(PING, EMPTY_LIST), 16)),
  "frame body mac": (peer) => peer.socket.write(flipped(peer.message(PING, EMPTY_LIST), -1)),
  "frame header data c0": (peer) => peer.send(MESSAGE, hashRequest(), fromHex("c0")),
  "frame header data c28080": (peer) => peer.send(MESSAGE, hashRequest(), fromHex("c28080")),
  "frame header data c30000 05": (peer) => peer.send(MESSAGE, hashRequest(), fromHex("c3800108")),
  "frame header data garbage": (peer) => peer.send(MESSAGE, hashRequest(), fromHex("f9ffff01")),
  "frame split in two": (peer) => {
    peer.send(MESSAGE, hashRequest().subarray(0, 3), fromHex("c3800108"));
    peer.send(MESSAGE, hashRequest().subarray(3), fromHex("c28001"));
  },
  "frame size 800000": (peer) => peer.socket.write(peer.frame({ size: "800000", body: new Uint8Array(16) })),
  "frame size 0": (peer) => peer.socket.write(peer.frame({ body: EMPTY_BYTES })),
  "frame code 00 byte": (peer) => peer.socket.write(peer.frame({ body: fromHex("00c0") })),
  "frame ping code 0002": (peer) => peer.socket.write(peer.frame({ body: fromHex("820002c0") })),
  "tx 131073 bytes": (peer) => sendTransaction(peer, encodeRlp([new Uint8Array(131_073)])),
  "block in chain": (peer, { chain }) => sendBlock(peer, chain.encodedBlock(chain.hashByNumber(75)!)!),
  "block in chain, other bytes key": (peer, { chain }) => sendBlock(peer, chain.encodedBlock(chain.hashByNumber(75)!)!),
  "block orphan 80 of another chain": (peer) => sendBlock(peer, FORK[79]!),
  "block twice by one peer": (peer) => {
    sendBlock(peer, FORK[80]!);
    sendBlock(peer, FORK[80]!);
  },
  "block too old": (peer) => sendBlock(peer, FORK[59]!),
  "response headers unasked": (peer, node) => peer.sendMessage(headers(node, "compressed")),
  "headers response full form": (peer, node) => peer.sendMessage(headers(node, "full")),
  "response block unasked": (peer, { chain }) =>
    peer.sendMessage({ type: "blockResponse", id: 12_345n, block: chain.encodedBlock(chain.best().hash)! }),
  "announce 300 unknown hashes": (peer) => {
    const blocks = Array.from({ length: 300 }, (_, i) => ({ hash: keccak256(Uint8Array.of(i >> 8, i)), number: 79 }));
    peer.sendMessage({ type: "newBlockHashes", blocks });
  },
  "1200 requests in a burst": (peer) => {
    // More than 1000 and 200 a second, even if the node reads them slowly.
    for (let id = 1n; id <= 4000n; id++) peer.sendMessage({ type: "blockHashRequest", id, height: 5 });
  },
};

/** Cases that this node refuses but the deployed client, which never sends them, does not. */
const STRICTER: readonly string[] = [
  ...["auth for another node id", "auth tag wrong", "auth http"],
  ...["hello other node id", "hello short node id"],
  // A Disconnect is the end of the connection, for which its sender must provide anyway.
  "disconnect from us",
  "1200 requests in a burst",
  // Cases punished immediately, not at the next message.
  ...["parent-is-grandparent", "difficulty-plus-1", "number-plus-1", "gas-limit-above-bound"].map(blockCase),
  ...["gas-limit-zero", "extra-data-33", "min-gas-price-above", "umm-root-19", "version-1-keeps-base"].map(blockCase),
];

/** Cases that this node accepts or ignores but the deployed client does not. */
const LENIENT: readonly string[] = [
  ...["auth eip8 split at 307", "auth eip8 split after 307"],
  ...["tx unparsable", "headers response full form"],
  // This node also has version 63.
  "hello rsk 63",
];

/** Cases in which this node's scoring differs (`spec/07 §D.9`). */
const EVENTS: Readonly<Record<string, Events>> = {
  ...Object.fromEntries(["second hello", "frame code 00 byte", "disconnect from us"].map((name) => [name, {}])),
  ...Object.fromEntries(["status wrong genesis", "status version 63", "status version 61"].map((name) => [name, {}])),
  // Other peers relay the same message.
  ...Object.fromEntries(["tx message twice by one peer", "block twice by one peer"].map((name) => [name, {}])),
  "tx unparsable": { invalidTransactions: 1 },
  "headers response full form": { unexpectedMessages: 1 },
  "1200 requests in a burst": { repeatedMessages: 10 },
  [blockCase("gas-limit-zero")]: { invalidBlocks: 1 },
  [blockCase("umm-root-19")]: { invalidBlocks: 1 },
};

function blockCase(name: string): string {
  return `invalid block: ${name}`;
}
