import { type Cipher, createCipheriv } from "node:crypto";
import { concatBytes, encodeRlp, numberToBytes } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { HEADER_LENGTH, MAXIMUM_BODY, paddedLength, SIZE_LENGTH, ZERO_IV } from "./frame-format.js";
import { MacState } from "./mac-state.js";
import type { FrameSecrets } from "./secrets.js";

/** Header data of a message in one frame: `[0]`. */
const SINGLE_FRAME = Uint8Array.of(0xc1, 0x80);

/** Writes the frames of one direction, in order (`spec/07 §A.2.3`). */
export class FrameEncoder {
  private readonly cipher: Cipher;
  private readonly mac: MacState;

  constructor({ aes, mac, egress }: Pick<FrameSecrets, "aes" | "mac" | "egress">) {
    this.cipher = createCipheriv("aes-256-ctr", aes, ZERO_IV);
    this.mac = new MacState(mac, egress);
  }

  /** Encodes a frame. Throws {@link RlpxError} `TOO_LARGE`; the state is then unchanged. */
  encode(code: number, payload: Uint8Array, headerData: Uint8Array = SINGLE_FRAME): Uint8Array {
    const codeBytes = encodeRlp(numberToBytes(code));
    const size = codeBytes.length + payload.length;
    if (size > MAXIMUM_BODY) {
      throw new RlpxError({ code: "TOO_LARGE", what: "frame body", bytes: size, limit: MAXIMUM_BODY });
    }
    const header = this.encodeHeader(size, headerData);
    const headerMac = this.mac.ofHeader(header);
    const plain = new Uint8Array(paddedLength(size));
    plain.set(codeBytes);
    plain.set(payload, codeBytes.length);
    const body = this.cipher.update(plain);
    this.mac.update(body);
    return concatBytes(header, headerMac, body, this.mac.ofBody());
  }

  private encodeHeader(size: number, headerData: Uint8Array): Uint8Array {
    const plain = new Uint8Array(HEADER_LENGTH);
    plain.set([size >> 16, size >> 8, size]);
    plain.set(headerData, SIZE_LENGTH);
    return this.cipher.update(plain);
  }
}
