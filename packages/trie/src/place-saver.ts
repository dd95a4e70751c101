import { copyBits, setBit } from "./encoding/bits.js";
import { placeAt } from "./encoding/place.js";
import type { PlaceSink } from "./interface.js";
import { SAVED_NODES } from "./measurements.js";
import { hashValue, type Node } from "./nodes/node.js";
import { encodeNode, hashNode, isEmbedded } from "./nodes/node-codec.js";
import type { NodeSource } from "./nodes/node-source.js";
import { addPacked } from "./nodes/packed-subtree.js";
import { PACKED_LIMIT, PackedWriter } from "./nodes/packed-writer.js";

/**
 * The walk of `Trie.saveByPlace`. The stored records depend on the content only. A node that is embedded in its parent
 * has no separate record. Neither have nodes below the highest node that is small enough to be packed with its whole
 * subtree.
 */
export class PlaceSaver {
  /** The bits above the current node. */
  private key = new Uint8Array(64);

  constructor(
    private readonly sink: PlaceSink,
    private readonly source: NodeSource,
  ) {}

  save(node: Node, isRoot = false): void {
    if (node.saved) return;
    if (!isRoot && isEmbedded(node)) this.vacate(node);
    else {
      hashNode(node, this.source);
      if (node.referenceSize <= PACKED_LIMIT) this.savePacked(node);
      else this.saveAlone(node);
      node.placed = true;
    }
    node.saved = true;
    node.valueSaved = true;
    if (this.source.cache !== undefined) node.visited = this.source.cache.period;
  }

  private saveAlone(node: Node): void {
    this.extend(node);
    const { left, right, end } = node;
    if (left !== undefined && !left.saved) {
      setBit(this.key, 0, end, 0);
      this.save(left);
    }
    if (right !== undefined && !right.saved) {
      setBit(this.key, 0, end, 1);
      this.save(right);
    }
    this.put(node, encodeNode(node, this.source));
  }

  private savePacked(node: Node): void {
    const record = node.packed ?? this.packed(node);
    this.put(node, record);
    if (!node.isLeaf) node.pack(record);
  }

  private packed(node: Node): Uint8Array {
    const writer = new PackedWriter();
    this.add(node, writer, node);
    return writer.record();
  }

  /** Adds a node and everything below it to the record of a subtree, and removes their separate records. */
  private add(node: Node, writer: PackedWriter, top: Node): void {
    this.source.open(node, this.key);
    if (node !== top) this.vacate(node);
    if (node.packed !== undefined) {
      addPacked(node, writer, this.key, top.start);
      return;
    }
    this.extend(node);
    if (node.valueLength !== 0) this.addValue(node, writer, top.start >> 3);
    const { left, right, end } = node;
    if (left !== undefined) {
      setBit(this.key, 0, end, 0);
      this.add(left, writer, top);
    }
    if (right !== undefined) {
      setBit(this.key, 0, end, 1);
      this.add(right, writer, top);
    }
  }

  private addValue(node: Node, writer: PackedWriter, from: number): void {
    const bytes = node.hasLongValue ? hashValue(node) : node.value!;
    const key = { bytes: this.key, from, to: node.end >> 3 };
    writer.add(key, { bytes, from: 0, to: bytes.length }, node.valueLength);
  }

  /** Adds a node's path to the key, which then has room for one more bit. */
  private extend({ bytes, base, start, end }: Node): void {
    if (end >= this.key.length * 8) {
      const larger = new Uint8Array(Math.max(this.key.length * 2, (end >> 3) + 1));
      larger.set(this.key);
      this.key = larger;
    }
    copyBits(bytes, base, this.key, 0, start, end);
  }

  private put(node: Node, record: Uint8Array): void {
    this.sink.put(placeAt(this.key, node.start), record);
    SAVED_NODES.add();
  }

  /** Removes a node's separate record, if there is one. */
  private vacate(node: Node): void {
    if (node.placed) this.sink.put(placeAt(this.key, node.start), undefined);
    node.placed = false;
  }
}
