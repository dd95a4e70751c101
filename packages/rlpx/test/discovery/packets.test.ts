import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { concatBytes, encodeRlp, fromHex, keccak256, type RlpInput, toHex, utf8 } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import { vectorPath } from "@cambium/test-utils/vectors";
import {
  countFitting,
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  MAX_PACKET,
  type Neighbor,
  recoverDiscoverySender,
} from "../../src/discovery/packets.js";
import { RlpxError } from "../../src/errors.js";
import { messageOf, type Row, readRows } from "./recording.js";

const KEY = fromHex("bd1d20e480dfb1c9c07ba0bc8cf9052f89923d38b5128c5dbfc18d4eea38261f");
const ID = fromHex(
  "826fbe97bc03c7c09d7b7d05b871282d8ac93d4446d44b55566333b240dd06260a9505f0fd3247e63d84d557f79bb63691710e40d4d9fc39f3bfd5397bcea065",
);
const MESSAGE_ID = "12345678-1234-4234-8234-123456789abc";
const SPECIFICATION = new URL("../../../../docs/specification/07-p2p-and-sync.md", import.meta.url);

/** The packets printed in `spec/07 §A.4`, in order. */
function specifiedPackets(): string[] {
  const section = readFileSync(SPECIFICATION, "utf8").split("## A.4 ")[1]!.split("# Part B")[0]!;
  return [...section.matchAll(/^```\n([0-9a-f]+)\n```$/gm)].map((match) => match[1]!);
}

function assertMalformed(packet: Uint8Array): void {
  assert.throws(
    () => decodeDiscoveryPacket(packet),
    (error) => error instanceof RlpxError && error.code === "MALFORMED",
  );
}

/** A packet around any bytes after the signature, with a correct hash. */
function withHash(rest: Uint8Array): Uint8Array {
  return concatBytes(keccak256(rest), rest);
}

describe("discovery packets", () => {
  const rows = readRows(vectorPath("rlpx", "discovery.jsonl"));
  const isWellFormed = (row: Row) => row.name !== undefined && !row.note?.match(/uuid of version 1|not a uuid/);

  for (const [index, row] of rows.entries()) {
    if (!isWellFormed(row)) continue;
    it(`are those of the recording, line ${index + 1}: ${row.dir} ${row.name}`, () => {
      const packet = fromHex(row.packet);
      const message = messageOf(row);
      assert.deepEqual(decodeDiscoveryPacket(packet), message);
      assert.equal(toHex(recoverDiscoverySender(packet)), row.sender);
      assert.equal(toHex(encodeDiscoveryPacket(message, fromHex(row.privateKey!))), row.packet);
    });
  }

  for (const row of rows.filter((row) => !isWellFormed(row) && row.result === "nothing")) {
    it(`are refused if the deployed node ignores them: ${row.note}`, () => assertMalformed(fromHex(row.packet)));
  }

  it("may have more elements than known", () => {
    const row = rows.find(({ note }) => note === "five elements")!;
    assert.equal(decodeDiscoveryPacket(fromHex(row.packet)).kind, "ping");
  });

  describe("of other clients", () => {
    const id = utf8(MESSAGE_ID);
    const port = Uint8Array.of(0x13, 0xba);
    const packet = (type: number, items: RlpInput[]) =>
      withHash(concatBytes(new Uint8Array(65), Uint8Array.of(type), encodeRlp(items)));

    it("may state their host in bytes that are no text", () => {
      const host = Uint8Array.of(192, 0, 2, 1);
      const ping = decodeDiscoveryPacket(packet(1, [[host, port, port], [host, port, port], id]));
      assert.ok(ping.kind === "ping" && ping.to.udpPort === 5050);
      const node = decodeDiscoveryPacket(packet(4, [[[host, port, port, ID]], id]));
      assert.ok(node.kind === "neighbors" && node.nodes.length === 1);
    });

    it("may have a first endpoint of any form, which the deployed node does not read", () => {
      const endpoint = [utf8("192.0.2.1"), port, port];
      for (const first of [[...endpoint, ID], endpoint.slice(0, 2), [], ID]) {
        assert.equal(decodeDiscoveryPacket(packet(2, [first, endpoint, id])).kind, "pong");
      }
      for (const second of [[...endpoint, ID], endpoint.slice(0, 2), ID]) {
        assertMalformed(packet(2, [endpoint, second, id]));
      }
    });

    it("may have further elements, leading zeros, long lengths and bytes behind the end", () => {
      const node = [utf8("192.0.2.1"), Uint8Array.of(0, 0x13, 0xba), port, ID, port];
      const list = encodeRlp([[node, [utf8("192.0.2.2"), port, port, ID.subarray(1)]], id, Uint8Array.of(0, 30), port]);
      // The list's length takes one more byte.
      const long = concatBytes(Uint8Array.of(list[0]! + 1, 0), list.subarray(1));
      const rest = concatBytes(new Uint8Array(65), Uint8Array.of(4), long, Uint8Array.of(1, 2));
      assert.deepEqual(decodeDiscoveryPacket(withHash(rest)), {
        kind: "neighbors",
        nodes: [{ host: "192.0.2.1", udpPort: 5050, tcpPort: 5050, nodeId: ID }],
        messageId: MESSAGE_ID,
        networkId: 30,
      });
    });
  });

  it("are those of the specification", () => {
    const [foreign, ...own] = specifiedPackets();
    const endpoint = (udpPort: number) => ({ host: "localhost", udpPort, tcpPort: udpPort });
    assert.deepEqual(decodeDiscoveryPacket(fromHex(foreign!)), {
      kind: "ping",
      from: endpoint(8080),
      to: endpoint(8080),
      messageId: "0a967855-cfba-4b1b-9890-f6c931a4a7a0",
      networkId: 0xc503c6c9,
    });
    assert.ok(toHex(recoverDiscoverySender(fromHex(foreign!))).startsWith("20787279d8730452"));
    const envelope = { messageId: MESSAGE_ID, networkId: 775 };
    const messages: DiscoveryMessage[] = [
      { kind: "ping", from: endpoint(44035), to: endpoint(44035), ...envelope },
      { kind: "findNode", nodeId: ID, ...envelope },
      { kind: "neighbors", nodes: [{ host: "10.0.0.1", udpPort: 5050, tcpPort: 5050, nodeId: ID }], ...envelope },
    ];
    assert.deepEqual(
      messages.map((message) => toHex(encodeDiscoveryPacket(message, KEY))),
      own,
    );
  });

  it("read the id of a node of three elements from the third", () => {
    const list = encodeRlp([[[utf8("1.2.3.4"), Uint8Array.of(7), ID]], utf8(MESSAGE_ID)]);
    assert.deepEqual(decodeDiscoveryPacket(withHash(concatBytes(new Uint8Array(65), Uint8Array.of(4), list))), {
      kind: "neighbors",
      nodes: [{ host: "1.2.3.4", udpPort: 7, tcpPort: 7, nodeId: ID }],
      messageId: MESSAGE_ID,
    });
  });

  const plain = { noNullPrototype: true };
  const port = fc.nat(0xffff);
  const host = fc.string({ unit: "binary", maxLength: 60 });
  const endpoint = fc.record({ host, udpPort: port, tcpPort: port }, plain);
  const nodeId = fc.uint8Array({ minLength: 64, maxLength: 64 });
  const neighbor = fc.record({ host: fc.ipV4(), udpPort: port, tcpPort: port, nodeId }, plain);
  const envelope = fc.record(
    { messageId: fc.uuid({ version: 4 }), networkId: fc.nat(0xffffffff) },
    { requiredKeys: ["messageId"] },
  );
  const body = fc.oneof(
    fc.record({ kind: fc.constantFrom("ping" as const, "pong" as const), from: endpoint, to: endpoint }),
    fc.record({ kind: fc.constant("findNode" as const), nodeId }),
    fc.record({ kind: fc.constant("neighbors" as const), nodes: fc.array(neighbor, { maxLength: 20 }) }),
  );
  const message = fc.tuple(body, envelope).map(([body, envelope]): DiscoveryMessage => ({ ...body, ...envelope }));

  it("decode to what was encoded", () => {
    fc.assert(
      fc.property(message, (message) => {
        const packet = encodeDiscoveryPacket(message, KEY);
        assert.deepEqual(decodeDiscoveryPacket(packet), message);
        assert.deepEqual(recoverDiscoverySender(packet), ID);
      }),
    );
  });

  it("are refused beyond their largest size", () => {
    assertMalformed(withHash(new Uint8Array(MAX_PACKET)));
    const nodes = new Array<Neighbor>(120).fill({ host: "1.2.3.4", udpPort: 1, tcpPort: 1, nodeId: ID });
    assert.throws(
      () => encodeDiscoveryPacket({ kind: "neighbors", nodes, messageId: MESSAGE_ID }, KEY),
      (error) => error instanceof RlpxError && error.code === "TOO_LARGE",
    );
  });

  it("hold as many nodes as are counted to fit, and hardly more", () => {
    const limit = 1280;
    fc.assert(
      fc.property(fc.array(neighbor, { maxLength: 20 }), (nodes) => {
        const count = countFitting(nodes, limit);
        const sizeOf = (some: Neighbor[]) =>
          encodeDiscoveryPacket({ kind: "neighbors", nodes: some, messageId: MESSAGE_ID, networkId: 0xffffffff }, KEY)
            .length;
        assert.ok(sizeOf(nodes.slice(0, count)) <= limit);
        if (count < nodes.length) assert.ok(sizeOf(nodes.slice(0, count + 1)) > limit - 8);
      }),
    );
  });
});
