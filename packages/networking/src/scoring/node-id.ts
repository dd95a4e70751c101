import { decodePoint, toHex } from "@cambium/primitives";
import { peerIdFromString } from "@libp2p/peer-id";
import type { PeerId } from "../interface.js";

/** Number of hex digits of a node id in reports. */
const SHOWN_DIGITS = 8;

/**
 * Returns the node id of the deployed network: hex of the 64 bytes of the public key. For another key type, the hex of
 * the peer id's multihash. Undefined if the text is not a peer id.
 */
export function nodeId(peer: PeerId): { hex: string; shown: string } | undefined {
  const parsed = parsePeerId(peer);
  if (parsed === undefined) return undefined;
  const point = parsed.type === "secp256k1" ? decodePoint(parsed.publicKey.raw) : undefined;
  if (point === undefined) {
    const hex = toHex(parsed.toMultihash().bytes);
    // Not shortened: all ids of a key type begin alike.
    return { hex, shown: hex };
  }
  const hex = toHex(point);
  return { hex, shown: hex.slice(0, SHOWN_DIGITS) };
}

/** Parses a peer id. Returns undefined if the text is none. */
export function parsePeerId(text: string): ReturnType<typeof peerIdFromString> | undefined {
  try {
    return peerIdFromString(text);
  } catch {
    return undefined;
  }
}
