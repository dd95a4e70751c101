import assert from "node:assert/strict";
import { keccak256, subnetOfIp, toHex } from "@cambium/primitives";
import { fc } from "@cambium/test-utils/properties";
import type { DiscoveredNode } from "../../src/discovery/interface.js";
import { BUCKET_SIZE, MAX_PER_SUBNET, NodeTable } from "../../src/discovery/table.js";
import { addressKey } from "../../src/discovery/udp-address.js";

const OWN_ID = new Uint8Array(64).fill(7);

/** Number below which all numbers have different addresses. */
const ADDRESSES = 200 * 256;

/** A node whose id and address follow from a number; neighbouring numbers have addresses in different subnets. */
function nodeOf(number: number, ip = `${1 + (number % 200)}.${Math.floor(number / 200) % 256}.0.1`): DiscoveredNode {
  const id = new Uint8Array(64);
  new DataView(id.buffer).setUint32(60, number);
  return { id, ip, udpPort: 5050, tcpPort: 5050 };
}

/** The distance of two ids as a number (`spec/07 §A.4`). */
function distanceOf(one: Uint8Array, other: Uint8Array): bigint {
  const hash = (id: Uint8Array) => BigInt(`0x${toHex(keccak256(keccak256(id)))}`);
  return hash(one) ^ hash(other);
}

/** The bucket of an id: max(0, d - 1), where d is 256 minus the leading zero bits of the distance. */
function bucketOf(id: Uint8Array): number {
  return Math.max(0, distanceOf(OWN_ID, id).toString(2).length - 1);
}

/** Returns nodes in the farthest bucket, to which half of all ids belong. */
function farNodes(count: number, ip?: string): DiscoveredNode[] {
  const nodes: DiscoveredNode[] = [];
  for (let number = 0; nodes.length < count; number++) {
    const node = nodeOf(number, ip);
    if (bucketOf(node.id) === 255) nodes.push(ip === undefined ? node : { ...node, udpPort: 1000 + number });
  }
  return nodes;
}

describe("node table", () => {
  it("returns all nodes, the closest first", () => {
    // Nodes with distinct addresses, because a table forgets the node that had the address of a new one.
    const numbers = fc.uniqueArray(fc.nat(ADDRESSES - 1), { maxLength: 200 });
    fc.assert(
      fc.property(numbers, fc.nat(100_000), (numbers, target) => {
        const table = new NodeTable(OWN_ID, false);
        const added = numbers.map((number) => nodeOf(number)).filter((node) => table.add(node).kind === "added");
        const { id } = nodeOf(target);
        const expected = added.sort((a, b) => (distanceOf(a.id, id) < distanceOf(b.id, id) ? -1 : 1));
        assert.deepEqual(table.closest(id), expected);
        assert.equal(table.size, expected.length);
      }),
    );
  });

  it("never holds more of a bucket, a subnet or an address than allowed, whatever happens", () => {
    const operation = fc.record({
      kind: fc.constantFrom("add", "add", "add", "remove", "touch"),
      number: fc.nat(400),
      subnet: fc.nat(20),
      host: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 400 }), (operations) => {
        const table = new NodeTable(OWN_ID, true);
        for (const { kind, number, subnet, host } of operations) {
          const node = nodeOf(number, `9.${subnet}.0.${host}`);
          if (kind === "add") table.add(node);
          else if (kind === "remove") table.remove(node);
          else table.touch(node);
        }
        assertWithinLimits(table);
      }),
    );
  });

  function assertWithinLimits(table: NodeTable): void {
    const nodes = table.nodes();
    const largest = (keys: unknown[]) => Math.max(0, ...keys.map((key) => keys.filter((k) => k === key).length));
    assert.equal(new Set(nodes.map(({ id }) => toHex(id))).size, table.size);
    assert.equal(new Set(nodes.map(addressKey)).size, table.size);
    for (const node of nodes) assert.equal(table.at(node), node);
    assert.ok(largest(nodes.map(({ id }) => bucketOf(id))) <= BUCKET_SIZE);
    assert.ok(largest(nodes.map(({ ip }) => subnetOfIp(ip))) <= MAX_PER_SUBNET.table);
    const inBucket = nodes.map(({ id, ip }) => `${bucketOf(id)} ${subnetOfIp(ip)}`);
    assert.ok(largest(inBucket) <= MAX_PER_SUBNET.bucket);
  }

  it("keeps the nodes of a full bucket, and names the longest unseen", () => {
    const table = new NodeTable(OWN_ID, true);
    const nodes = farNodes(BUCKET_SIZE + 1);
    const newcomer = nodes.pop()!;
    for (const node of nodes) assert.deepEqual(table.add(node), { kind: "added" });
    assert.deepEqual(table.add(newcomer), { kind: "occupied", by: nodes[0] });
    table.touch(nodes[0]!);
    assert.deepEqual(table.add(newcomer), { kind: "occupied", by: nodes[1] });
    assert.deepEqual(table.add(nodes[1]!), { kind: "known" });
    assert.deepEqual(table.add(newcomer), { kind: "occupied", by: nodes[2] });
    assert.ok(table.remove(nodes[2]!));
    assert.deepEqual(table.add(newcomer), { kind: "added" });
  });

  it("does not move a live node to another address", () => {
    const table = new NodeTable(OWN_ID, true);
    const node = nodeOf(1, "8.8.8.8");
    const moved = nodeOf(1, "9.9.9.9");
    table.add(node);
    assert.deepEqual(table.add(moved), { kind: "occupied", by: node });
    assert.equal(table.remove(moved), false);
    assert.ok(table.remove(node));
    assert.deepEqual(table.add(moved), { kind: "added" });
    assert.deepEqual(table.nodes(), [moved]);
  });

  it("keeps the latest id at an address", () => {
    const table = new NodeTable(OWN_ID, true);
    table.add(nodeOf(1, "8.8.8.8"));
    assert.deepEqual(table.add(nodeOf(2, "8.8.8.8")), { kind: "added" });
    assert.deepEqual(table.nodes(), [nodeOf(2, "8.8.8.8")]);
  });

  it("refuses the own id", () => {
    assert.deepEqual(new NodeTable(OWN_ID, false).add({ ...nodeOf(1), id: OWN_ID }), { kind: "refused" });
  });

  it("limits subnets on public networks only", () => {
    const crowd = farNodes(BUCKET_SIZE, "8.8.8.8");
    const limited = new NodeTable(OWN_ID, true);
    const open = new NodeTable(OWN_ID, false);
    for (const node of crowd) {
      limited.add(node);
      open.add(node);
    }
    assert.equal(limited.size, MAX_PER_SUBNET.bucket);
    assert.deepEqual(limited.add(crowd[5]!), { kind: "refused" });
    assert.equal(open.size, BUCKET_SIZE);
  });
});
