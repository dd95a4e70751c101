import { publicKeyToAddress } from "@cambium/primitives";
import { readPublicKey } from "../bitcoin/public-key.js";
import { BridgeError } from "../errors.js";

/** Address of a compressed public key. Throws {@link BridgeError} `INVALID_PUBLIC_KEY` if it is not a curve point. */
export function keyAddress(compressed: Uint8Array): Uint8Array {
  const key = readPublicKey(compressed);
  if (key === undefined) throw new BridgeError({ code: "INVALID_PUBLIC_KEY", key: compressed });
  return publicKeyToAddress(key.point);
}
