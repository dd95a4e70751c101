import { compressPublicKey, concatBytes } from "@cambium/primitives";
import { publicKeyFromRaw } from "@libp2p/crypto/keys";
import { peerIdFromPublicKey, peerIdFromString } from "@libp2p/peer-id";
import { NetworkingError } from "../errors.js";
import type { PeerId } from "../interface.js";

/**
 * Returns the peer id of a node id: 64 bytes, the public key without its prefix. Undefined if it is not a point of the
 * curve.
 */
export function peerIdOf(nodeId: Uint8Array): PeerId | undefined {
  const key = compressPublicKey(concatBytes(Uint8Array.of(4), nodeId));
  return key === undefined ? undefined : peerIdFromPublicKey(publicKeyFromRaw(key)).toString();
}

/** Checks a peer id that an option names. Throws {@link NetworkingError} `INVALID_OPTION`. */
export function checkedPeerId(text: string, option: string): PeerId {
  try {
    return peerIdFromString(text).toString();
  } catch {
    throw new NetworkingError({ code: "INVALID_OPTION", option, reason: `${text} is not a peer id` });
  }
}
