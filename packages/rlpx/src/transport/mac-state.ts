import { type Cipher, createCipheriv } from "node:crypto";
import { createKeccak, type KeccakState } from "@cambium/primitives";

/** Length of a MAC on the wire: the first half of a digest. */
export const MAC_LENGTH = 16;

/** The running MAC of one direction: a Keccak-256 state whose copies are finalised (`spec/07 §A.2.3`). */
export class MacState {
  private readonly state: KeccakState = createKeccak();
  /** Cipher without a mode and padding: encrypts each block separately. */
  private readonly blockCipher: Cipher;
  /** Digest after the last MAC; nothing is added to it before the next header. */
  private lastDigest: Uint8Array;

  /** `secret` has 32 bytes; `start` is absorbed first. */
  constructor(secret: Uint8Array, start: Uint8Array) {
    this.state.update(start);
    this.lastDigest = this.state.digest();
    this.blockCipher = createCipheriv("aes-256-ecb", secret, null).setAutoPadding(false);
  }

  /** Absorbs a part of an encrypted body. */
  update(bytes: Uint8Array): void {
    this.state.update(bytes);
  }

  /** Absorbs an encrypted header and returns its MAC. */
  ofHeader(header: Uint8Array): Uint8Array {
    return this.step(this.lastDigest, header);
  }

  /** Returns the MAC of the body that was absorbed. */
  ofBody(): Uint8Array {
    const digest = this.state.digest();
    return this.step(digest, digest);
  }

  private step(digest: Uint8Array, seed: Uint8Array): Uint8Array {
    const mixed = this.blockCipher.update(digest.subarray(0, MAC_LENGTH));
    for (let i = 0; i < MAC_LENGTH; i++) mixed[i]! ^= seed[i]!;
    this.state.update(mixed);
    this.lastDigest = this.state.digest();
    return this.lastDigest.subarray(0, MAC_LENGTH);
  }
}
