import { decodePoint, toHex } from "@cambium/primitives";
import { peerIdFromString } from "@libp2p/peer-id";
import type { PeerId } from "../interface.js";

/** Hex digits of a node id that reports show. */
const SHOWN_DIGITS = 8;

/**
 * What the deployed network calls the id of a node: hex of the 64 bytes of its public key. A peer id of another kind of
 * key is known by the hex of its multihash. Undefined for what is no peer id.
 */
export function nodeId(peer: PeerId): { hex: string; shown: string } | undefined {
  const parsed = parsePeerId(peer);
  if (parsed === undefined) return undefined;
  const point = parsed.type === "secp256k1" ? decodePoint(parsed.publicKey.raw) : undefined;
  if (point === undefined) {
    const hex = toHex(parsed.toMultihash().bytes);
    // whole, as all of a kind begin alike
    return { hex, shown: hex };
  }
  const hex = toHex(point);
  return { hex, shown: hex.slice(0, SHOWN_DIGITS) };
}

/** Undefined for text that is no peer id. */
export function parsePeerId(text: string): ReturnType<typeof peerIdFromString> | undefined {
  try {
    return peerIdFromString(text);
  } catch {
    return undefined;
  }
}
