import { concatBytes, keccak256 } from "@cambium/primitives";

/** Common knowledge of both sides after the handshake. `auth` and `ack` are the packets as on the wire. */
export interface HandshakeTranscript {
  /** X coordinate of the product of the ephemeral keys. */
  agreed: Uint8Array;
  initiatorNonce: Uint8Array;
  responderNonce: Uint8Array;
  auth: Uint8Array;
  ack: Uint8Array;
}

/** Keys of the frames. `egress` and `ingress` are the initial input to the MAC of each direction. */
export interface FrameSecrets {
  aes: Uint8Array;
  mac: Uint8Array;
  egress: Uint8Array;
  ingress: Uint8Array;
}

export type Role = "initiator" | "responder";

/** Derives the secrets (`spec/07 §A.2.2`, "Secrets"). */
export function deriveSecrets(transcript: HandshakeTranscript, role: Role): FrameSecrets {
  const { agreed, initiatorNonce, responderNonce, auth, ack } = transcript;
  const shared = keccak256(concatBytes(agreed, keccak256(concatBytes(responderNonce, initiatorNonce))));
  const aes = keccak256(concatBytes(agreed, shared));
  const mac = keccak256(concatBytes(agreed, aes));
  const ofInitiator = concatBytes(xor(mac, responderNonce), auth);
  const ofResponder = concatBytes(xor(mac, initiatorNonce), ack);
  return role === "initiator"
    ? { aes, mac, egress: ofInitiator, ingress: ofResponder }
    : { aes, mac, egress: ofResponder, ingress: ofInitiator };
}

/** XORs byte strings of the same length. */
export function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ b[i]!);
}
