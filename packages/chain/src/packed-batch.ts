import type { Write } from "./database.js";

/** Before each entry: length of the key with its table byte (2), length of the value plus one or 0 to delete (4). */
const PREFIX = 6;

/** Bytes that {@link packBatch} writes. */
export function packedLength(batch: readonly Write[]): number {
  let length = 0;
  for (const { key, value } of batch) length += PREFIX + 1 + key.length + (value?.length ?? 0);
  return length;
}

/** Puts changes into one piece of memory, `out` of {@link packedLength}, to be read by another thread. */
export function packBatch(batch: readonly Write[], out: Uint8Array): void {
  let at = 0;
  for (const { table, key, value } of batch) {
    at = writeLengths(out, at, key.length + 1, value === undefined ? 0 : value.length + 1);
    out[at] = table;
    out.set(key, at + 1);
    at += 1 + key.length;
    if (value === undefined) continue;
    out.set(value, at);
    at += value.length;
  }
}

function writeLengths(out: Uint8Array, at: number, key: number, value: number): number {
  out[at] = key >> 8;
  out[at + 1] = key;
  out[at + 2] = value >>> 24;
  out[at + 3] = value >>> 16;
  out[at + 4] = value >>> 8;
  out[at + 5] = value;
  return at + PREFIX;
}

/** A change by its whole key, table byte first. */
export type LevelOperation = { type: "put"; key: Uint8Array; value: Uint8Array } | { type: "del"; key: Uint8Array };

/** The changes again; keys and values are views of `packed`. */
export function unpackBatch(packed: Uint8Array): LevelOperation[] {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const operations: LevelOperation[] = [];
  for (let at = 0; at < packed.length; ) {
    const keyLength = view.getUint16(at);
    const valueLength = view.getUint32(at + 2) - 1;
    const keyEnd = at + PREFIX + keyLength;
    const key = packed.subarray(at + PREFIX, keyEnd);
    at = keyEnd + Math.max(valueLength, 0);
    operations.push(valueLength < 0 ? { type: "del", key } : { type: "put", key, value: packed.subarray(keyEnd, at) });
  }
  return operations;
}
