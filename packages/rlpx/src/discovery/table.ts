import { equalBytes, keccak256, subnetOfIp, toHex } from "@cambium/primitives";
import type { DiscoveredNode } from "./interface.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

/** Number of buckets, by distance from the own id, and of nodes in each (`spec/07 §A.4`). */
const BUCKETS = 256;
export const BUCKET_SIZE = 16;
/**
 * Maximum number of nodes from one /16 of IPv4 or /32 of IPv6, in a bucket and in the table (`spec/07 §D.10`: eclipse).
 * A subnet can neither fill a bucket nor make up the whole table.
 */
export const MAX_PER_SUBNET = { bucket: 2, table: 16 };

export type TableAddition =
  | { kind: "added" }
  /** The node was in the table, with this address. */
  | { kind: "known" }
  /**
   * The node is not added while another node is alive: the longest unseen one of a full bucket, or its own id
   * elsewhere.
   */
  | { kind: "occupied"; by: DiscoveredNode }
  /** The node is our own, or there are too many of its subnet. */
  | { kind: "refused" };

interface Entry {
  node: DiscoveredNode;
  key: string;
  hash: Uint8Array;
  subnet: string;
}

/**
 * The nodes that answered, in buckets by XOR distance of the twice hashed ids (`spec/07 §A.4`). A live node is never
 * replaced by a newer one, so that new identities cannot flush the table.
 */
export class NodeTable {
  private readonly ownHash: Uint8Array;
  /** Entries of each bucket by hex id; the longest unseen first. */
  private readonly buckets = Array.from({ length: BUCKETS }, () => new Map<string, Entry>());
  /** Entries by hex id; the longest unseen first. */
  private readonly entries = new Map<string, Entry>();
  private readonly byAddress = new Map<string, Entry>();
  private readonly subnets = new Map<string, number>();

  constructor(
    ownId: Uint8Array,
    private readonly limitsSubnets: boolean,
  ) {
    this.ownHash = hashOf(ownId);
  }

  get size(): number {
    return this.entries.size;
  }

  /** Adds a node that just answered at its address, or marks it as seen. */
  add(node: DiscoveredNode): TableAddition {
    const entry = { node, key: toHex(node.id), hash: hashOf(node.id), subnet: subnetOfIp(node.ip) };
    const known = this.entries.get(entry.key);
    if (known !== undefined) return this.seenAgain(known, node);
    if (equalBytes(entry.hash, this.ownHash)) return { kind: "refused" };
    const former = this.byAddress.get(addressKey(node));
    // The id at an address changes when a node gets a new key.
    if (former !== undefined) this.removeEntry(former);
    const bucket = this.bucketOf(entry);
    if (this.limitsSubnets && this.isCrowded(entry.subnet, bucket)) return { kind: "refused" };
    if (bucket.size >= BUCKET_SIZE) return { kind: "occupied", by: bucket.values().next().value!.node };
    this.insert(entry, bucket);
    return { kind: "added" };
  }

  /** Marks a node as seen. */
  touch({ id }: DiscoveredNode): void {
    const entry = this.entries.get(toHex(id));
    if (entry !== undefined) this.moveToEnd(entry);
  }

  /** Removes a node, unless its id now has another address. Returns whether it was in the table. */
  remove(node: DiscoveredNode): boolean {
    const entry = this.entries.get(toHex(node.id));
    if (entry === undefined || addressKey(entry.node) !== addressKey(node)) return false;
    this.removeEntry(entry);
    return true;
  }

  /** Returns the node at an address. */
  at(address: UdpAddress): DiscoveredNode | undefined {
    return this.byAddress.get(addressKey(address))?.node;
  }

  /** All nodes, the longest unseen first. */
  nodes(): DiscoveredNode[] {
    return Array.from(this.entries.values(), ({ node }) => node);
  }

  /** All nodes, the closest to an id first. */
  closest(id: Uint8Array): DiscoveredNode[] {
    const target = hashOf(id);
    return [...this.entries.values()].sort((a, b) => compareDistance(a.hash, b.hash, target)).map(({ node }) => node);
  }

  private seenAgain(known: Entry, node: DiscoveredNode): TableAddition {
    if (addressKey(known.node) !== addressKey(node)) return { kind: "occupied", by: known.node };
    this.moveToEnd(known);
    return { kind: "known" };
  }

  private isCrowded(subnet: string, bucket: ReadonlyMap<string, Entry>): boolean {
    if ((this.subnets.get(subnet) ?? 0) >= MAX_PER_SUBNET.table) return true;
    const inBucket = [...bucket.values()].filter((entry) => entry.subnet === subnet);
    return inBucket.length >= MAX_PER_SUBNET.bucket;
  }

  private insert(entry: Entry, bucket: Map<string, Entry>): void {
    bucket.set(entry.key, entry);
    this.entries.set(entry.key, entry);
    this.byAddress.set(addressKey(entry.node), entry);
    this.subnets.set(entry.subnet, (this.subnets.get(entry.subnet) ?? 0) + 1);
  }

  private removeEntry(entry: Entry): void {
    this.bucketOf(entry).delete(entry.key);
    this.entries.delete(entry.key);
    this.byAddress.delete(addressKey(entry.node));
    const left = this.subnets.get(entry.subnet)! - 1;
    if (left === 0) this.subnets.delete(entry.subnet);
    else this.subnets.set(entry.subnet, left);
  }

  private moveToEnd(entry: Entry): void {
    for (const map of [this.bucketOf(entry), this.entries]) {
      map.delete(entry.key);
      map.set(entry.key, entry);
    }
  }

  private bucketOf({ hash }: Entry): Map<string, Entry> {
    return this.buckets[bucketIndex(this.ownHash, hash)]!;
  }
}

function hashOf(id: Uint8Array): Uint8Array {
  return keccak256(keccak256(id));
}

/** Returns 255 minus the number of leading bits that two hashes share; 0 for equal ones. */
function bucketIndex(one: Uint8Array, other: Uint8Array): number {
  const byte = one.findIndex((value, index) => value !== other[index]);
  if (byte < 0) return 0;
  return BUCKETS - 1 - (8 * byte + Math.clz32(one[byte]! ^ other[byte]!) - 24);
}

function compareDistance(a: Uint8Array, b: Uint8Array, target: Uint8Array): number {
  const byte = a.findIndex((value, index) => value !== b[index]);
  return byte < 0 ? 0 : (a[byte]! ^ target[byte]!) - (b[byte]! ^ target[byte]!);
}
