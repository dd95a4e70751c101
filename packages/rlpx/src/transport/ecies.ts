import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { concatBytes, plainBytes } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import type { AgreementKey } from "./key-agreement.js";

/* Encryption to a public key (`spec/07 §A.2.1`): 04 || R(64) || iv(16) || ciphertext || tag(32). */

const KEY_END = 65;
const IV_END = KEY_END + 16;
const TAG_LENGTH = 32;
const UNCOMPRESSED = 4;
/** Number of bytes that encryption adds. */
export const ECIES_OVERHEAD = IV_END + TAG_LENGTH;

/** Random input of an encryption: a key that is used once, and 16 bytes. */
export interface EciesRandom {
  key: AgreementKey;
  iv: Uint8Array;
}

/** Encrypts to `recipient` (64 bytes); `macData` is authenticated but not part of the result. */
export function encryptEcies(
  recipient: Uint8Array,
  plaintext: Uint8Array,
  macData: Uint8Array,
  { key, iv }: EciesRandom,
): Uint8Array {
  const { encryption, authentication } = deriveKeys(key.agree(recipient));
  const ciphertext = createCipheriv("aes-128-ctr", encryption, iv).update(plaintext);
  const tag = tagOf(authentication, iv, ciphertext, macData);
  return concatBytes(Uint8Array.of(UNCOMPRESSED), key.publicKey, iv, ciphertext, tag);
}

/** Decrypts. Throws {@link RlpxError} `MALFORMED` if `box` was not encrypted to this key with this `macData`. */
export function decryptEcies(key: AgreementKey, box: Uint8Array, macData: Uint8Array): Uint8Array {
  if (box.length < ECIES_OVERHEAD)
    throw malformed("encrypted packet", `${box.length} bytes are fewer than ${ECIES_OVERHEAD}`);
  if (box[0] !== UNCOMPRESSED) throw malformed("encrypted packet", "its key is not in the uncompressed form");
  const { encryption, authentication } = deriveKeys(key.agree(box.subarray(1, KEY_END)));
  const iv = box.subarray(KEY_END, IV_END);
  const ciphertext = box.subarray(IV_END, -TAG_LENGTH);
  if (!timingSafeEqual(tagOf(authentication, iv, ciphertext, macData), box.subarray(-TAG_LENGTH))) {
    throw malformed("encrypted packet", "wrong tag");
  }
  return plainBytes(createDecipheriv("aes-128-ctr", encryption, iv).update(ciphertext));
}

/** Derives keys by NIST's concatenation key derivation with SHA-256; one round is sufficient. */
function deriveKeys(secret: Uint8Array): { encryption: Uint8Array; authentication: Uint8Array } {
  const key = createHash("sha256")
    .update(Uint8Array.of(0, 0, 0, 1))
    .update(secret)
    .digest();
  return { encryption: key.subarray(0, 16), authentication: createHash("sha256").update(key.subarray(16)).digest() };
}

function tagOf(key: Uint8Array, iv: Uint8Array, ciphertext: Uint8Array, macData: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(iv).update(ciphertext).update(macData).digest();
}
