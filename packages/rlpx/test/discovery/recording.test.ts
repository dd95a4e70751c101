import assert from "node:assert/strict";
import { equalBytes, fromHex, secp256k1, toHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";
import { type DiscoveryMessage, encodeDiscoveryPacket } from "../../src/discovery/packets.js";
import { messageOf, type Row, readRows } from "./recording.js";
import { type Sent, World } from "./world.js";

/** Key and address of the deployed node in the recording. */
const PRIVATE_KEY = new Uint8Array(32).fill(0x11);
const IP = "127.0.0.1";
/** The latest time of the first refresh that fits the recording; another follows every minute. */
const FIRST_REFRESH = 12_506;

/** Replays a recording: delivers the recorder's packets, and expects those of the deployed node. */
class Replay {
  /** Our message ids, by those of the deployed node. */
  private readonly ownIds = new Map<string, string>();
  private now = FIRST_REFRESH - 60_000;

  constructor(private readonly world: World) {}

  step(row: Row): void {
    this.pass(row.t);
    if (row.dir === "recv") this.expect(row);
    else if (row.name === undefined) this.world.deliver(fromHex(row.packet), addressOf(row));
    else this.deliver(messageOf(row), row);
  }

  private pass(t: number): void {
    if (t > this.now) this.world.clock.pass(t - this.now);
    this.now = Math.max(t, this.now);
  }

  private deliver(message: DiscoveryMessage, row: Row): void {
    const messageId = this.ownIds.get(message.messageId) ?? message.messageId;
    this.world.deliver(encodeDiscoveryPacket({ ...message, messageId }, fromHex(row.privateKey!)), addressOf(row));
  }

  /** Expects the first packet of this kind to this port to equal that of the deployed node. */
  private expect(row: Row): void {
    const expected = messageOf(row);
    const { sent } = this.world;
    const index = sent.findIndex(({ to, message }) => to.udpPort === row.port && message.kind === expected.kind);
    assert.ok(index >= 0, `no ${row.name} to ${row.port} at ${row.t}`);
    const [actual] = sent.splice(index, 1) as [Sent];
    assert.equal(actual.message.networkId, expected.networkId);
    const isAnswer = expected.kind === "pong" || expected.kind === "neighbors";
    if (isAnswer) assert.equal(actual.message.messageId, expected.messageId);
    else this.ownIds.set(expected.messageId, actual.message.messageId);
    assertSameNodes(actual.message, expected, row.port);
  }
}

/**
 * Compares the nodes of two answers. Deployed nodes also name the requesting node, and do not limit the size of the
 * packet.
 */
function assertSameNodes(actual: DiscoveryMessage, expected: DiscoveryMessage, asker: number): void {
  if (actual.kind !== "neighbors" || expected.kind !== "neighbors") return;
  const others = expected.nodes.filter(({ udpPort }) => udpPort !== asker);
  if (others.length < 12) assert.deepEqual(sorted(actual), sorted({ ...expected, nodes: others }));
  else assert.ok(actual.nodes.length >= 12);
  assert.ok(actual.nodes.every(({ udpPort }) => udpPort !== asker));
}

function sorted(message: DiscoveryMessage & { kind: "neighbors" }): string[] {
  return message.nodes
    .map(({ host, udpPort, tcpPort, nodeId }) => `${host} ${udpPort} ${tcpPort} ${toHex(nodeId)}`)
    .sort();
}

function addressOf({ port }: Row) {
  return { ip: IP, udpPort: port };
}

describe("discovery against the recording", () => {
  it("reacts to every packet as the deployed node did", async () => {
    const rows = readRows(vectorPath("rlpx", "discovery.jsonl"));
    const world = await World.open({
      identity: { privateKey: PRIVATE_KEY, nodeId: secp256k1.publicKey(PRIVATE_KEY) },
      bind: { host: IP, port: 17131 },
      advertised: { host: IP, port: 0 },
      allowsPrivate: true,
    });
    const replay = new Replay(world);
    for (const row of rows) replay.step(row);
    assert.deepEqual(world.sent, []);
    const ids = new Set(rows.map(({ sender }) => sender));
    ids.delete(undefined);
    assert.equal(world.service.nodes().length, ids.size - 1);
    assert.ok(world.service.nodes().every(({ id }) => ids.has(toHex(id)) && !equalBytes(id, world.identity.nodeId)));
  });
});
