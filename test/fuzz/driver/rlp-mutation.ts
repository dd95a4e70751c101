import type { RandomChoice } from "../random-choice.js";

// Separate reader and writer of RLP: the fuzzed ones are instrumented, and may be wrong.

type Item = Uint8Array | Item[];

const MAX_DEPTH = 12;

/**
 * Replaces, repeats or removes an item of an RLP list, with right lengths around it. Returns undefined if the bytes are
 * no list.
 */
export function mutateRlp(data: Uint8Array, other: Uint8Array, random: RandomChoice): Uint8Array | undefined {
  const items = decode(data, 0);
  const root = items?.[0];
  if (!Array.isArray(root) || root.length === 0) return undefined;
  const list = random.pick(listsOf(root));
  const at = random.below(list.length);
  const foreign = decode(other, 0)?.[0];
  switch (random.below(7)) {
    case 0:
      list.splice(at, 1);
      break;
    case 1:
      list.splice(at, 0, list[at] ?? []);
      break;
    case 2:
      list[at] = random.bytes(random.pick([0, 1, 2, 4, 8, 9, 20, 32, 33, 55, 56, 64, 256]));
      break;
    case 3:
      list[at] = Uint8Array.from({ length: random.pick([1, 4, 6, 7, 8, 16, 32]) }, (_, i) => (i === 0 ? 0x7f : 0xff));
      break;
    case 4:
      list[at] = random.pick<Item>([new Uint8Array(0), Uint8Array.of(0), [], [[]], [list[at] ?? []]]);
      break;
    case 5:
      if (foreign !== undefined) list[at] = Array.isArray(foreign) ? random.pick(listsOf(foreign)) : foreign;
      break;
    default:
      if (list.length > 1) [list[at], list[0]] = [list[0]!, list[at]!];
  }
  return encode(root);
}

function listsOf(root: Item[]): Item[][] {
  const lists = [root];
  for (const list of lists) lists.push(...list.filter((item): item is Item[] => Array.isArray(item)));
  return lists;
}

/** Concatenated items; undefined if the bytes are malformed. */
function decode(data: Uint8Array, depth: number): Item[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const items: Item[] = [];
  for (let at = 0; at < data.length; ) {
    const first = data[at]!;
    const short = first < 0x80 ? 0 : (first - 0x80) & 0x3f;
    const prefix = short < 56 ? 0 : short - 55;
    let length = short;
    if (prefix > 0) length = data.subarray(at + 1, at + 1 + prefix).reduce((value, byte) => value * 256 + byte, 0);
    const start = first < 0x80 ? at : at + 1 + prefix;
    const end = first < 0x80 ? at + 1 : start + length;
    if (end > data.length) return undefined;
    const payload = data.subarray(start, end);
    const item = first >= 0xc0 ? decode(payload, depth + 1) : payload;
    if (item === undefined) return undefined;
    items.push(item);
    at = end;
  }
  return items;
}

function encode(item: Item): Uint8Array {
  if (!Array.isArray(item)) return item.length === 1 && item[0]! < 0x80 ? item : prefixed(0x80, item);
  return prefixed(0xc0, Buffer.concat(item.map(encode)));
}

function prefixed(base: number, payload: Uint8Array): Uint8Array {
  if (payload.length < 56) return Buffer.concat([Uint8Array.of(base + payload.length), payload]);
  const digits = payload.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex");
  return Buffer.concat([Uint8Array.of(base + 55 + length.length), length, payload]);
}
