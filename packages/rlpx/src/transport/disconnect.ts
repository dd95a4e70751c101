import { encodeRlp, numberToBytes } from "@cambium/primitives";
import { malformed, readList, readUint, readWhole } from "../rlp.js";

/** Reasons of a Disconnect (`spec/07 §A.2.4`). */
export const DISCONNECT_REASONS = {
  requested: 0x00,
  tcpError: 0x01,
  badProtocol: 0x02,
  uselessPeer: 0x03,
  tooManyPeers: 0x04,
  duplicatePeer: 0x05,
  incompatibleProtocol: 0x06,
  nullIdentity: 0x07,
  peerQuitting: 0x08,
  unexpectedIdentity: 0x09,
  localIdentity: 0x0a,
  pingTimeout: 0x0b,
  userReason: 0x10,
  unexpectedGenesis: 0x11,
  unknown: 0xff,
} as const;

/** Returns the name of a reason, or its number if it has none. */
export function disconnectReasonName(reason: number): string {
  const entry = Object.entries(DISCONNECT_REASONS).find(([, value]) => value === reason);
  return entry?.[0] ?? `0x${reason.toString(16)}`;
}

export function encodeDisconnect(reason: number): Uint8Array {
  return encodeRlp([numberToBytes(reason)]);
}

/** Decodes the reason, 0 to 255. Throws `RlpxError` `MALFORMED`. */
export function decodeDisconnect(payload: Uint8Array): number {
  const [reason] = readList(readWhole(payload, "Disconnect"), "Disconnect", 1);
  if (reason === undefined) throw malformed("Disconnect", "no reason");
  return readUint(reason, "disconnect reason", 0xff);
}
