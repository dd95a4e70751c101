import { type Cipher, createCipheriv } from "node:crypto";
import { concatBytes, fromHex } from "@cambium/primitives";
import type { FrameSecrets } from "@cambium/rlpx";
import { MacState, paddedLength, ZERO_IV } from "@cambium/rlpx/testing";

/** The parts of a frame before encryption. `size` is 3 bytes in hex; by default that of the body. */
export interface RawFrame {
  size?: string;
  headerData?: Uint8Array;
  body: Uint8Array;
}

/** Writes frames with correct MACs; a test determines every byte. */
export class RawFrames {
  private readonly cipher: Cipher;
  private readonly mac: MacState;

  constructor({ aes, mac, egress }: Pick<FrameSecrets, "aes" | "mac" | "egress">) {
    this.cipher = createCipheriv("aes-256-ctr", aes, ZERO_IV);
    this.mac = new MacState(mac, egress);
  }

  write({ size, headerData = fromHex("c180"), body }: RawFrame): Uint8Array {
    const sizeField = fromHex(size ?? body.length.toString(16).padStart(6, "0"));
    const header = this.cipher.update(concatBytes(sizeField, headerData, new Uint8Array(13 - headerData.length)));
    const headerMac = this.mac.ofHeader(header);
    const padding = new Uint8Array(paddedLength(body.length) - body.length);
    const encrypted = this.cipher.update(concatBytes(body, padding));
    this.mac.update(encrypted);
    return concatBytes(header, headerMac, encrypted, this.mac.ofBody());
  }
}
