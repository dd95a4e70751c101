import { createDecipheriv, type Decipher, timingSafeEqual } from "node:crypto";
import {
  bytesToNumber,
  concatBytes,
  decodeRlpItem,
  EMPTY_BYTES,
  plainBytes,
  RlpError,
  type RlpItem,
} from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { HEADER_LENGTH, MAXIMUM_BODY, paddedLength, SIZE_LENGTH, ZERO_IV } from "./frame-format.js";
import { MAC_LENGTH, MacState } from "./mac-state.js";
import type { FrameSecrets } from "./secrets.js";

/** A decoded frame. */
export interface Frame {
  /** Message code, 0 to 255. */
  code: number;
  payload: Uint8Array;
  /**
   * Whether this is the first frame of a split message, which no side of the deployed network reads (`spec/07 §A.2.3`).
   */
  isPart: boolean;
}

/** Maximum size of a body that is allocated when its header is read; larger bodies grow as they arrive. */
const FIRST_ALLOCATION = 0x10000;
/** Length of the longest code that is read: 255, possibly with leading zeros. */
const MAXIMUM_CODE_BYTES = 4;
const MAXIMUM_CODE = 0xff;

/** A body whose last parts have not arrived. */
interface PartialBody {
  size: number;
  /** Length of the payload of the whole message if the header data says so, otherwise 0. */
  total: number;
  /** Length on the wire, without the MAC. */
  padded: number;
  bytes: Uint8Array;
  received: number;
}

/**
 * Reads the frames of one direction from bytes that are cut at any point (`spec/07 §A.2.3`). A header is checked before
 * its body is read. Memory is bounded by the last pushed chunk and twice the received part of one body. Reading is
 * impossible after an error.
 */
export class FrameDecoder {
  private readonly cipher: Decipher;
  private readonly mac: MacState;
  private input: Uint8Array = EMPTY_BYTES;
  /** A header and its MAC, or the MAC of a body, as far as they have arrived. */
  private readonly block = new Uint8Array(HEADER_LENGTH + MAC_LENGTH);
  private filled = 0;
  private body: PartialBody | undefined;

  /** Refuses bodies above `maximumBody` bytes, message code included; the limit may be changed between frames. */
  constructor(
    { aes, mac, ingress }: Pick<FrameSecrets, "aes" | "mac" | "ingress">,
    public maximumBody: number = MAXIMUM_BODY,
  ) {
    this.cipher = createDecipheriv("aes-256-ctr", aes, ZERO_IV);
    this.mac = new MacState(mac, ingress);
  }

  /** Number of bytes that wait for the rest of their frame. */
  get heldBytes(): number {
    return this.input.length + (this.body?.bytes.length ?? 0);
  }

  /** Adds received bytes without copying them. */
  push(chunk: Uint8Array): void {
    this.input = this.input.length === 0 ? chunk : concatBytes(this.input, chunk);
  }

  /** Returns the next whole frame. Throws {@link RlpxError} `INVALID_FRAME` or `TOO_LARGE`. */
  next(): Frame | undefined {
    if (this.body === undefined) {
      if (!this.fillBlock(HEADER_LENGTH + MAC_LENGTH)) return undefined;
      this.body = this.openHeader();
    }
    this.readBody(this.body);
    if (this.body.received < this.body.padded || !this.fillBlock(MAC_LENGTH)) return undefined;
    return this.closeBody(this.body);
  }

  /** Whether a block of `length` bytes is complete; takes missing bytes from the input. */
  private fillBlock(length: number): boolean {
    const part = this.take(length - this.filled);
    this.block.set(part, this.filled);
    this.filled += part.length;
    if (this.filled < length) return false;
    this.filled = 0;
    return true;
  }

  private take(most: number): Uint8Array {
    const part = this.input.subarray(0, most);
    this.input = part.length < this.input.length ? this.input.subarray(part.length) : EMPTY_BYTES;
    return part;
  }

  private openHeader(): PartialBody {
    const encrypted = this.block.subarray(0, HEADER_LENGTH);
    const mac = this.block.subarray(HEADER_LENGTH);
    if (!timingSafeEqual(this.mac.ofHeader(encrypted), mac)) throw invalid("wrong MAC of the header");
    const header = this.cipher.update(encrypted);
    const size = bytesToNumber(header.subarray(0, SIZE_LENGTH));
    if (size === 0) throw invalid("empty body");
    if (size > this.maximumBody) {
      throw new RlpxError({ code: "TOO_LARGE", what: "frame body", bytes: size, limit: this.maximumBody });
    }
    const total = totalPayload(header.subarray(SIZE_LENGTH));
    return { size, total, padded: paddedLength(size), bytes: EMPTY_BYTES, received: 0 };
  }

  private readBody(body: PartialBody): void {
    const part = this.take(body.padded - body.received);
    if (part.length === 0) return;
    this.mac.update(part);
    const plain = this.cipher.update(part);
    if (plain.length === body.padded) body.bytes = plainBytes(plain);
    else append(body, plain);
    body.received += plain.length;
  }

  private closeBody({ bytes, size, total }: PartialBody): Frame {
    if (!timingSafeEqual(this.mac.ofBody(), this.block.subarray(0, MAC_LENGTH))) throw invalid("wrong MAC of the body");
    this.body = undefined;
    const { code, payload } = splitCode(bytes.subarray(0, size));
    return { code, payload, isPart: total > payload.length };
  }
}

/** Appends to the bytes of a body; doubles its allocation when it is full. */
function append(body: PartialBody, part: Uint8Array): void {
  const { bytes, received, padded } = body;
  const needed = received + part.length;
  if (needed > bytes.length) {
    body.bytes = new Uint8Array(Math.min(padded, Math.max(FIRST_ALLOCATION, 2 * needed)));
    body.bytes.set(bytes.subarray(0, received));
  }
  body.bytes.set(part, received);
}

/** Returns the total payload length in the header data `[0, context, total]`; 0 if there is none. Ignores the rest. */
function totalPayload(headerData: Uint8Array): number {
  const item = decode("header data", () => decodeRlpItem(headerData));
  if (!item.isList) return 0;
  const total = decode("header data", () => item.items)[2]?.bytes;
  return total === undefined ? 0 : total.length > SIZE_LENGTH ? Number.POSITIVE_INFINITY : bytesToNumber(total);
}

/** Splits a body into the code, as RLP, and the payload; the byte 00 counts as code 0. */
function splitCode(body: Uint8Array): Pick<Frame, "code" | "payload"> {
  const item: RlpItem = decode("message code", () => decodeRlpItem(body));
  const code = item.isList || item.bytes.length > MAXIMUM_CODE_BYTES ? Number.NaN : bytesToNumber(item.bytes);
  if (!(code <= MAXIMUM_CODE)) throw invalid("message code above 255");
  return { code, payload: body.subarray(item.end) };
}

function decode<T>(what: string, decoder: () => T): T {
  try {
    return decoder();
  } catch (error) {
    if (error instanceof RlpError) throw invalid(`${what}: ${error.message}`);
    throw error;
  }
}

function invalid(reason: string): RlpxError {
  return new RlpxError({ code: "INVALID_FRAME", reason });
}
