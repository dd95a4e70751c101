import { plainBytes } from "@cambium/primitives";
import { DatabaseError } from "./errors.js";

const NUMBER_BYTES = 8;

/** Copying a short array is cheaper than creating a view of it, which moves its memory out of V8's heap. */
const copy = Buffer.alloc(64);

/** Encodes a database key as a map key, with one character per byte: the cheapest string to build. */
export function mapKey(key: Uint8Array): string {
  if (key.length > copy.length) return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString("latin1");
  copy.set(key);
  return copy.toString("latin1", 0, key.length);
}

/** Inverse of {@link mapKey}. */
export function fromMapKey(text: string): Uint8Array {
  return plainBytes(Buffer.from(text, "latin1"));
}

/** Encodes a number as eight big-endian bytes, which sort numerically. */
export function numberKey(number: number): Uint8Array {
  const out = new Uint8Array(8);
  writeNumber(out, 0, number);
  return out;
}

/** Writes a number in the encoding of {@link numberKey}. */
export function writeNumber(out: Uint8Array, offset: number, number: number): void {
  writeUint32(out, offset, Math.floor(number / 0x100000000));
  writeUint32(out, offset + 4, number);
}

/**
 * Writes four big-endian bytes. A view would cost more: short arrays are on V8's heap, so a view would first have to
 * move their memory.
 */
export function writeUint32(out: Uint8Array, offset: number, number: number): void {
  out[offset] = number >>> 24;
  out[offset + 1] = number >>> 16;
  out[offset + 2] = number >>> 8;
  out[offset + 3] = number;
}

/**
 * Inverse of {@link writeNumber}. Throws {@link DatabaseError} `DATABASE_READ` if the bytes end before the number does.
 */
export function readNumber(bytes: Uint8Array, offset: number): number {
  if (offset + NUMBER_BYTES > bytes.length) {
    throw new DatabaseError({ code: "DATABASE_READ", reason: `no number at ${offset} in ${bytes.length} bytes` });
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getUint32(offset) * 0x100000000 + view.getUint32(offset + 4);
}
