import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex, toHex } from "@cambium/primitives";
import { random } from "@cambium/test-utils/random";
import { SEED } from "@cambium/test-utils/seed";
import { vectorPath } from "@cambium/test-utils/vectors";
import { RlpxError } from "../../src/errors.js";
import { decodeDisconnect, disconnectReasonName, encodeDisconnect } from "../../src/transport/disconnect.js";
import { decodeHello, encodeHello } from "../../src/transport/hello.js";
import { Negotiation } from "../../src/transport/negotiation.js";
import { newIdentity, optionsWith, RSK } from "./options.js";
import { type RecordedHandshake, randomOf, recorded } from "./vectors.js";

interface RecordedMessage {
  record: string;
  dir: "send" | "recv";
  code: number;
  payload: string;
  frame: string;
}

type Conversation = [RecordedHandshake & { we: "initiator" | "responder" }, ...RecordedMessage[]];

function readConversation(file: string): Conversation {
  const bytes = readFileSync(vectorPath("rlpx/conversations", file));
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line)) as Conversation;
}

/** One side of a recorded connection: this node with the recorder's keys, random input and Hello. */
function repeat([handshake, ...messages]: Conversation, next: () => number) {
  const hello = (dir: "send" | "recv") =>
    messages.find(({ record, code, ...message }) => record === "message" && message.dir === dir && code === 0);
  const written: string[] = [];
  const { clientId, capabilities, listenPort } = decodeHello(fromHex(hello("send")!.payload));
  const options = optionsWith({
    identity: newIdentity(fromHex(handshake[handshake.we].staticPrivate)),
    hello: { clientId, capabilities, listenPort },
    random: () => randomOf(handshake, handshake.we),
  });
  const isInitiator = handshake.we === "initiator";
  const remoteId = isInitiator ? fromHex(handshake.responder.nodeId) : undefined;
  const negotiation = new Negotiation(options, remoteId, (bytes) => written.push(toHex(bytes)));
  negotiation.start();
  const incoming = fromHex((isInitiator ? handshake.ack : handshake.auth) + (hello("recv")?.frame ?? ""));
  let result: ReturnType<Negotiation["receive"]>;
  for (let offset = 0, end = 0; offset < incoming.length; offset = end) {
    end = offset + 1 + Math.floor(next() * 300);
    result = negotiation.receive(incoming.subarray(offset, end));
  }
  const expected = [isInitiator ? handshake.auth : handshake.ack, hello("send")!.frame];
  return { written, expected, result, p2pVersion: decodeHello(fromHex(hello("send")!.payload)).p2pVersion };
}

const isRlpxError = (code: string) => (error: unknown) => error instanceof RlpxError && error.code === code;

describe("negotiation", () => {
  for (const file of readdirSync(vectorPath("rlpx/conversations"))) {
    const conversation = readConversation(file);
    if (conversation[0].authForm === "old" && conversation[0].we === "initiator") continue;
    it(`opens the recorded connection ${file} with the recorded bytes`, () => {
      const { written, expected, result, p2pVersion } = repeat(conversation, random(SEED));
      assert.equal(written[0], expected[0]);
      // This node never says version 5.
      if (p2pVersion === 4) assert.equal(written[1], expected[1]);
      assert.equal(
        result?.hello.capabilities.some(({ name }) => name === "rsk"),
        true,
      );
    });
  }

  it("answers the recorded auth packets, except those that no recorded client would write", () => {
    const { cases } = recorded<{ cases: { name: string; input: { auth?: string } }[] }>("malformed.json");
    const refused = /no padding|pad 24|another node id|tag wrong|random|http/;
    const auths = cases.filter(({ input }) => input.auth !== undefined);
    assert.equal(auths.length, 15);
    for (const { name, input } of auths) {
      const written: Uint8Array[] = [];
      const options = optionsWith({ identity: newIdentity(new Uint8Array(32).fill(0x11)) });
      const negotiation = new Negotiation(options, undefined, (bytes) => void written.push(bytes));
      const packet = fromHex(input.auth!);
      try {
        for (const part of [packet.subarray(0, 307), packet.subarray(307)]) negotiation.receive(part);
      } catch (error) {
        if (!(error instanceof RlpxError)) throw error;
      }
      // Some refused inputs seem incomplete; a time-out ends their connections.
      assert.equal(written.length, refused.test(name) ? 0 : 1, name);
    }
  });

  it("refuses a peer with its own node id", () => {
    const options = optionsWith();
    const written: Uint8Array[] = [];
    new Negotiation(options, options.identity.nodeId, (bytes) => void written.push(bytes)).start();
    const responder = new Negotiation(options, undefined, () => assert.fail());
    assert.throws(() => responder.receive(written[0]!), isRlpxError("OWN_ID"));
  });
});

describe("Hello and Disconnect", () => {
  it("reads every recorded Hello and writes it again", () => {
    const { messages } = recorded<{ messages: { name: string; payload: string }[] }>("messages.json.gz");
    const hellos = messages.filter(({ name }) => name === "Hello");
    assert.ok(hellos.length > 0);
    for (const { payload } of hellos) assert.equal(toHex(encodeHello(decodeHello(fromHex(payload)))), payload);
    for (const { name, payload } of messages.filter(({ name }) => name === "Disconnect")) {
      assert.equal(toHex(encodeDisconnect(decodeDisconnect(fromHex(payload)))), payload, name);
    }
  });

  it("ignores further items, as the vector of EIP-8 requires", () => {
    const payload =
      "f87137916b6e6574682f76302e39312f706c616e39cdc5836574683dc6846d6f726b1682270fb840fda1cff674c90c9a197539fe3dfb53086ace64f83ed7c6eabec741f7f381cc803e52ab2cd55d5569bce4347107a310dfd5f88a010cd2ffd1005ca406f1842877c883666f6f836261720304";
    const { p2pVersion, capabilities, listenPort } = decodeHello(fromHex(payload));
    assert.deepEqual([p2pVersion, listenPort], [55, 9999]);
    assert.deepEqual(capabilities, [
      { name: "eth", version: 61 },
      { name: "mork", version: 22 },
    ]);
  });

  it("reads numbers by their low bytes, and nothing after the items, as the deployed node does", () => {
    const id = "aa".repeat(64);
    // Version 4, no name, capability rsk in version 0x013e with one more item, port 0x0100001388.
    const body = `82000480c9c88372736b82013e01850100001388b840${id}`;
    const payload = `f8${(body.length / 2).toString(16)}${body}ffff`;
    const { p2pVersion, capabilities, listenPort } = decodeHello(fromHex(payload));
    assert.deepEqual([p2pVersion, listenPort], [4, 5000]);
    assert.deepEqual(capabilities, [{ name: "rsk", version: 62 }]);
  });

  it("gives the vectors of the specification", () => {
    const hello = encodeHello({
      p2pVersion: 4,
      clientId: "Ethereum(J)/v9.1.0/Linux/Release/Java/MainNet",
      capabilities: [RSK],
      listenPort: 5050,
      nodeId: new Uint8Array(64).fill(0xaa),
    });
    const start =
      "f87b04ad457468657265756d284a292f76392e312e302f4c696e75782f52656c656173652f4a6176612f4d61696e4e6574c6c58372736b3e8213bab840";
    assert.equal(toHex(hello), start + "aa".repeat(64));
    assert.deepEqual(
      [0, 4].map((reason) => toHex(encodeDisconnect(reason))),
      ["c180", "c104"],
    );
    assert.deepEqual([4, 0xff, 0x42].map(disconnectReasonName), ["tooManyPeers", "unknown", "0x42"]);
  });

  it("refuses what is malformed", () => {
    const hellos = ["c0", "80", "ca0478c6c58372736b3e01", "c50478c101c080", "c5880100000000000000"];
    for (const payload of hellos) assert.throws(() => decodeHello(fromHex(payload)), isRlpxError("MALFORMED"));
    for (const payload of ["c0", "", "80", "c3820100", "c20101"]) {
      assert.throws(() => decodeDisconnect(fromHex(payload)), isRlpxError("MALFORMED"));
    }
  });
});
