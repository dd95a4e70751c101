import { allocateBytes } from "./byte-pool.js";
import { CambiumError } from "./errors.js";

/** A byte string cannot be decoded as RLP; `offset` counts from the start of the decoded bytes. */
export class RlpError extends CambiumError<
  | { code: "RLP_TRUNCATED"; offset: number }
  | { code: "RLP_LENGTH_NEGATIVE"; offset: number }
  | { code: "RLP_EXPECTED_LIST"; offset: number }
  | { code: "RLP_TRAILING_BYTES"; offset: number }
> {}

/** Input of {@link encodeRlp}: a byte string, or a list of inputs. */
export type RlpInput = Uint8Array | RawRlp | readonly RlpInput[];

/** Bytes that are already RLP; {@link encodeRlp} embeds them unchanged. */
export class RawRlp {
  constructor(readonly bytes: Uint8Array) {}
}

/** Canonical RLP of a byte string or nested list (`spec/01 §1.1`). */
export function encodeRlp(input: RlpInput): Uint8Array {
  const out = allocateBytes(encodedLength(input));
  write(input, out, 0);
  return out;
}

/** Calls only itself: V8 would inline functions that call each other, and then spend a long time compiling. */
function encodedLength(input: RlpInput): number {
  if (input instanceof Uint8Array) {
    if (input.length === 1 && input[0]! < 0x80) return 1;
    return prefixLength(input.length) + input.length;
  }
  if (input instanceof RawRlp) return input.bytes.length;
  let payload = 0;
  for (const item of input) payload += encodedLength(item);
  return prefixLength(payload) + payload;
}

function payloadLength(list: readonly RlpInput[]): number {
  let length = 0;
  for (const item of list) length += encodedLength(item);
  return length;
}

function prefixLength(length: number): number {
  if (length < 56) return 1;
  return length < 0x100 ? 2 : length < 0x10000 ? 3 : length < 0x1000000 ? 4 : 5;
}

function write(input: RlpInput, out: Uint8Array, offset: number): number {
  if (input instanceof Uint8Array) {
    if (input.length !== 1 || input[0]! >= 0x80) offset = writePrefix(input.length, 0x80, out, offset);
    out.set(input, offset);
    return offset + input.length;
  }
  if (input instanceof RawRlp) {
    out.set(input.bytes, offset);
    return offset + input.bytes.length;
  }
  offset = writePrefix(payloadLength(input), 0xc0, out, offset);
  for (const item of input) offset = write(item, out, offset);
  return offset;
}

function writePrefix(length: number, base: number, out: Uint8Array, offset: number): number {
  if (length < 56) {
    out[offset] = base + length;
    return offset + 1;
  }
  const bytes = prefixLength(length) - 1;
  out[offset] = base + 55 + bytes;
  for (let i = bytes; i > 0; i--) {
    out[offset + i] = length & 0xff;
    length >>>= 8;
  }
  return offset + 1 + bytes;
}

/**
 * One decoded element. The content of a list is parsed only when {@link items} is first read, as in the deployed client
 * (`spec/01 §1.2`). Malformed content of a list that is never read goes unnoticed.
 */
export class RlpItem {
  private parsed: RlpItem[] | undefined;

  /** An element at [start, end) of `data`, prefix included; its payload starts at `payloadStart`. */
  constructor(
    private readonly data: Uint8Array,
    private readonly start: number,
    private readonly payloadStart: number,
    readonly end: number,
    readonly isList: boolean,
  ) {}

  /** The complete encoding. */
  get raw(): Uint8Array {
    return this.data.subarray(this.start, this.end);
  }

  /** The content after the prefix. */
  get payload(): Uint8Array {
    return this.data.subarray(this.payloadStart, this.end);
  }

  /** The string value; for a list, its complete raw encoding (`spec/01 §1.2`, leniency 5). */
  get bytes(): Uint8Array {
    return this.isList ? this.raw : this.payload;
  }

  /** Elements of a list. Throws {@link RlpError} if this is a string or its content is malformed. */
  get items(): readonly RlpItem[] {
    if (!this.isList) throw new RlpError({ code: "RLP_EXPECTED_LIST", offset: 0 });
    this.parsed ??= decodeSequence(this.payload);
    return this.parsed;
  }
}

/**
 * Decodes the element at `offset`. Accepts the same input as the deployed client (`spec/01 §1.2`): non-minimal lengths,
 * and lengths that overflow in signed 32-bit arithmetic. Throws {@link RlpError} if it is malformed.
 */
export function decodeRlpItem(data: Uint8Array, offset = 0): RlpItem {
  const first = data[offset];
  if (first === undefined) throw new RlpError({ code: "RLP_TRUNCATED", offset });
  if (first < 0x80) return new RlpItem(data, offset, offset, offset + 1, false);
  const isList = first >= 0xc0;
  const short = first - (isList ? 0xc0 : 0x80);
  if (short < 56) return itemAt(data, offset, offset + 1, short, isList);
  const lengthBytes = short - 55;
  const start = offset + 1 + lengthBytes;
  if (start > data.length) throw new RlpError({ code: "RLP_TRUNCATED", offset });
  let length = 0;
  for (let i = offset + 1; i < start; i++) length = ((length << 8) + data[i]!) | 0;
  if (length < 0) throw new RlpError({ code: "RLP_LENGTH_NEGATIVE", offset });
  return itemAt(data, offset, start, length, isList);
}

function itemAt(data: Uint8Array, offset: number, start: number, length: number, isList: boolean): RlpItem {
  const end = start + length;
  if (end > data.length) throw new RlpError({ code: "RLP_TRUNCATED", offset });
  return new RlpItem(data, offset, start, end, isList);
}

/** Decodes all elements of concatenated encodings. Throws {@link RlpError} if one is malformed. */
export function decodeSequence(data: Uint8Array): RlpItem[] {
  const items: RlpItem[] = [];
  for (let offset = 0; offset < data.length; ) {
    const item = decodeRlpItem(data, offset);
    items.push(item);
    offset = item.end;
  }
  return items;
}

/**
 * Returns the elements of the single list that spans all of `data`. Throws {@link RlpError} for anything else
 * (`spec/01 §1.2`, leniency 4).
 */
export function decodeRlpList(data: Uint8Array): readonly RlpItem[] {
  const item = decodeRlpItem(data);
  if (item.end !== data.length) throw new RlpError({ code: "RLP_TRAILING_BYTES", offset: item.end });
  return item.items;
}
