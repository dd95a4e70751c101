import assert from "node:assert/strict";
import { equalBytes, keccak256, toHex } from "@cambium/primitives";

// Verifier of `eth_getProof` answers, written from spec/01 §4 alone: it shares no code with the trie it checks.

/** A statement about a key that a proof proves. */
export type Shown = { kind: "present"; value: Uint8Array } | { kind: "absent" };

interface PlainNode {
  path: number[];
  /** Left and right child: a hash, or the whole message of an embedded child. */
  children: (Uint8Array | undefined)[];
  embedded: boolean[];
  value: Uint8Array;
  /** Hash of a value that is not in the node. */
  valueHash: Uint8Array | undefined;
}

/** Follows a key from the root. Throws if the proof is not valid. */
export function verify(root: Uint8Array, key: Uint8Array, proof: readonly Uint8Array[]): Shown {
  const bits = [...key].flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((i) => (byte >> i) & 1));
  const left = [...proof];
  let expected: { reference: Uint8Array; embedded: boolean } = { reference: root, embedded: false };
  let position = 0;
  for (;;) {
    const message = left.shift();
    assert.ok(message !== undefined, "the proof ends early");
    const actual = expected.embedded ? message : keccak256(message);
    assert.ok(equalBytes(actual, expected.reference), "a node does not match the reference in its parent");
    const node = decode(message);
    const matches = node.path.every((bit, i) => bit === bits[position + i]);
    if (!matches) return absent(left);
    position += node.path.length;
    if (position === bits.length) return atKey(node, left);
    const side = bits[position++]!;
    const child = node.children[side];
    if (child === undefined) return absent(left);
    expected = { reference: child, embedded: node.embedded[side]! };
  }
}

function absent(left: readonly Uint8Array[]): Shown {
  assert.equal(left.length, 0, "the proof continues after it has proved absence");
  return { kind: "absent" };
}

function atKey({ value, valueHash }: PlainNode, left: readonly Uint8Array[]): Shown {
  if (valueHash === undefined) {
    assert.equal(left.length, 0);
    return value.length === 0 ? { kind: "absent" } : { kind: "present", value };
  }
  assert.equal(left.length, 1, "a long value must follow its node");
  assert.ok(equalBytes(keccak256(left[0]!), valueHash), "a long value does not match the hash in its node");
  return { kind: "present", value: left[0]! };
}

function decode(message: Uint8Array): PlainNode {
  const flags = message[0]!;
  assert.equal(flags >> 6, 1, `version of ${toHex(message)}`);
  let at = 1;
  const take = (length: number) => message.subarray(at, (at += length));
  const compactSize = () => {
    const first = take(1)[0]!;
    const length = first < 0xfd ? 0 : first === 0xfd ? 2 : first === 0xfe ? 4 : 8;
    return length === 0 ? first : take(length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  };
  const pathLength = () => {
    const first = take(1)[0]!;
    if (first < 32) return first + 1;
    return first < 255 ? first + 128 : compactSize();
  };
  const bitCount = flags & 0x10 ? pathLength() : 0;
  const packed = take(Math.ceil(bitCount / 8));
  const path = Array.from({ length: bitCount }, (_, i) => (packed[i >> 3]! >> (7 - (i & 7))) & 1);
  const has = [(flags & 0x08) !== 0, (flags & 0x04) !== 0];
  const embedded = [(flags & 0x02) !== 0, (flags & 0x01) !== 0];
  const children = has.map((there, side) => (there ? take(embedded[side] ? take(1)[0]! : 32) : undefined));
  if (has.includes(true)) compactSize();
  const rest = message.subarray(at);
  return flags & 0x20
    ? { path, children, embedded, value: new Uint8Array(0), valueHash: rest.subarray(0, 32) }
    : { path, children, embedded, value: rest, valueHash: undefined };
}
