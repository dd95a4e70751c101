import { randomBytes } from "node:crypto";
import { isPrivateKey, plainBytes, secp256k1 } from "@cambium/primitives";
import { RlpxError } from "../errors.js";

/** A key that can agree on a secret with the owner of another key. */
export interface AgreementKey {
  /** Public key, 64 bytes, X then Y. */
  readonly publicKey: Uint8Array;
  /**
   * Returns the X coordinate of the product with another public key, 32 bytes. Throws {@link RlpxError} `MALFORMED` if
   * that is not a curve point.
   */
  agree(publicKey: Uint8Array): Uint8Array;
}

/** Returns the key pair of a private key, 32 bytes. */
export function agreementKey(privateKey: Uint8Array): AgreementKey {
  return {
    publicKey: secp256k1.publicKey(privateKey),
    agree: (publicKey) => {
      const secret = secp256k1.agree(publicKey, privateKey);
      if (secret !== undefined) return secret;
      throw new RlpxError({ code: "MALFORMED", what: "public key", reason: "not a point of secp256k1" });
    },
  };
}

/** Returns a new private key, 32 bytes. */
export function newPrivateKey(): Uint8Array {
  for (;;) {
    const key = plainBytes(randomBytes(32));
    if (isPrivateKey(key)) return key;
  }
}
