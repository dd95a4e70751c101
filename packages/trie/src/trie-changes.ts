import { EMPTY_TRIE_ROOT, equalBytes } from "@cambium/primitives";
import { bitAt, copyBits, setBit } from "./bits.js";
import type { NodeReader } from "./interface.js";
import { hashValue, type Node, unloadedNode } from "./node.js";
import { NodeSource } from "./node-source.js";

/** A key whose values in two tries differ, with the second one; undefined if there is none. */
export interface TrieChange {
  key: Uint8Array;
  value: Uint8Array | undefined;
}

/**
 * In what a trie differs from an earlier one in the same store, which keeps nodes under hashes: reads only the nodes in which they
 * differ. Throws `TrieError` as every read of a trie does.
 */
export function trieChanges(reader: NodeReader, before: Uint8Array, after: Uint8Array): TrieChange[] {
  const comparison = new Comparison(new NodeSource(reader, undefined));
  comparison.compare(topNode(before), topNode(after), 0);
  return comparison.changes;
}

function topNode(root: Uint8Array): Node | undefined {
  return equalBytes(root, EMPTY_TRIE_ROOT) ? undefined : unloadedNode(root, 0);
}

class Comparison {
  readonly changes: TrieChange[] = [];
  /** The bits above the nodes that are compared. */
  private key = new Uint8Array(64);

  constructor(private readonly source: NodeSource) {}

  /** Compares what two nodes, or only a part of their paths, have from bit `at` on. */
  compare(before: Node | undefined, after: Node | undefined, at: number): void {
    if (before === undefined || after === undefined) {
      if (before !== undefined) this.addAll(before, true);
      if (after !== undefined) this.addAll(after, false);
      return;
    }
    if (isSame(before, after, at)) return;
    this.source.load(before);
    this.source.load(after);
    const limit = Math.min(before.end, after.end);
    const match = firstDifference(before, after, at, limit);
    if (match < limit) {
      this.addAll(before, true);
      this.addAll(after, false);
      return;
    }
    this.extend(before, at, limit);
    const valueBefore = before.end === limit ? before : undefined;
    const valueAfter = after.end === limit ? after : undefined;
    this.compareValues(valueBefore, valueAfter, limit);
    for (const bit of [0, 1] as const) {
      const childBefore = childAt(before, limit, bit);
      const childAfter = childAt(after, limit, bit);
      if (childBefore === undefined && childAfter === undefined) continue;
      this.step(limit, bit);
      this.compare(childBefore, childAfter, limit + 1);
    }
  }

  private compareValues(before: Node | undefined, after: Node | undefined, end: number): void {
    const hadValue = before !== undefined && before.valueLength !== 0;
    if (after !== undefined && after.valueLength !== 0) {
      if (!hadValue || !hasSameValue(before, after)) this.add(after, end, false);
    } else if (hadValue) this.add(before, end, true);
  }

  private addAll(node: Node, isRemoved: boolean): void {
    this.source.load(node);
    this.extend(node, node.start, node.end);
    if (node.valueLength !== 0) this.add(node, node.end, isRemoved);
    for (const bit of [0, 1] as const) {
      const child = bit === 0 ? node.left : node.right;
      if (child === undefined) continue;
      this.step(node.end, bit);
      this.addAll(child, isRemoved);
    }
  }

  private add(node: Node, end: number, isRemoved: boolean): void {
    this.changes.push({ key: this.key.slice(0, end >> 3), value: isRemoved ? undefined : this.source.value(node) });
  }

  /** Continues the key with a node's path. */
  private extend(node: Node, from: number, to: number): void {
    this.makeRoom(to);
    copyBits(node.bytes, node.base, this.key, 0, from, to);
  }

  private step(position: number, bit: 0 | 1): void {
    this.makeRoom(position + 1);
    setBit(this.key, 0, position, bit);
  }

  private makeRoom(bits: number): void {
    if (bits <= this.key.length * 8) return;
    const larger = new Uint8Array(Math.max(this.key.length * 2, (bits + 7) >> 3));
    larger.set(this.key);
    this.key = larger;
  }
}

function isSame(a: Node, b: Node, at: number): boolean {
  return a.start === at && b.start === at && !a.loaded && !b.loaded && equalBytes(a.hash!, b.hash!);
}

function firstDifference(a: Node, b: Node, from: number, limit: number): number {
  let at = from;
  while (at < limit && bitAt(a.bytes, at - a.base * 8) === bitAt(b.bytes, at - b.base * 8)) at++;
  return at;
}

/** What is below a node, or the rest of its path, if the bit at `position` is `bit`. */
function childAt(node: Node, position: number, bit: 0 | 1): Node | undefined {
  if (node.end === position) return bit === 0 ? node.left : node.right;
  return bitAt(node.bytes, position - node.base * 8) === bit ? node : undefined;
}

function hasSameValue(a: Node, b: Node): boolean {
  if (a.valueLength !== b.valueLength) return false;
  return a.hasLongValue ? equalBytes(hashValue(a), hashValue(b)) : equalBytes(a.value!, b.value!);
}
