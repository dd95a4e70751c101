import { publicKeyToAddress, secp256k1 } from "@cambium/primitives";
import { BridgeError } from "../errors.js";

/** Address of a compressed public key. Throws {@link BridgeError} `INVALID_PUBLIC_KEY`. */
export function keyAddress(compressed: Uint8Array): Uint8Array {
  const key = secp256k1.decompress(compressed);
  if (key === undefined) throw new BridgeError({ code: "INVALID_PUBLIC_KEY", key: compressed });
  return publicKeyToAddress(key);
}
