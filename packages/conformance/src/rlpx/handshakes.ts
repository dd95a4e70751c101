import { EMPTY_BYTES, fromHex, keccak256, toHex } from "@cambium/primitives";
import {
  type AgreementKey,
  agreementKey,
  decodeAck,
  decodeAuth,
  deriveSecrets,
  FrameDecoder,
  FrameEncoder,
  type FrameSecrets,
  PacketReader,
  recoverEphemeralKey,
  sealPacket,
} from "@cambium/rlpx";
import { Comparison } from "../comparison.js";
import type { CaseResult, VectorFile } from "../interface.js";

interface RecordedSide {
  nodeId: string;
  staticPrivate: string;
  /** Unknown for the reference client. */
  ephemeralPrivate?: string;
  ephemeralPublic: string;
  nonce: string;
}

interface RecordedFrame {
  sender: Role;
  name: string;
  code: number;
  payload: string;
  frame: string;
}

type Role = "initiator" | "responder";

/** A handshake of `handshakes.json`, or the first line of a conversation. */
export interface RecordedHandshake {
  name: string;
  authForm: "eip8" | "old";
  ackForm: "eip8" | "old";
  initiator: RecordedSide;
  responder: RecordedSide;
  auth: string;
  ack: string;
  /** Shared secret of the static keys. */
  token?: string;
  secrets: Record<"aes" | "mac" | "initiatorEgressMacDigest" | "initiatorIngressMacDigest", string>;
  /** The first frames of each side. */
  frames?: readonly RecordedFrame[];
}

/** Opens and repeats each handshake from every side whose keys are all known, and the first frames after it. */
export function* runHandshakes(file: VectorFile): Iterable<CaseResult> {
  const { handshakes } = JSON.parse(file.text()) as { handshakes: readonly RecordedHandshake[] };
  for (const handshake of handshakes) {
    const comparison = new Comparison(handshake.name);
    for (const role of ["initiator", "responder"] as const) {
      if (handshake[role].ephemeralPrivate === undefined) continue;
      compareFrames(comparison, handshake, role, compareHandshake(comparison, handshake, role));
    }
    yield comparison.result();
  }
}

/** Compares the contents of both packets, seals them again, and derives the secrets as one of the sides. */
export function compareHandshake(comparison: Comparison, handshake: RecordedHandshake, role: Role): FrameSecrets {
  compareAuth(comparison, handshake);
  compareAck(comparison, handshake);
  const { initiator, responder, auth, ack } = handshake;
  const [own, other] = role === "initiator" ? [initiator, responder] : [responder, initiator];
  const transcript = {
    agreed: agreementKey(fromHex(own.ephemeralPrivate!)).agree(fromHex(other.ephemeralPublic)),
    initiatorNonce: fromHex(initiator.nonce),
    responderNonce: fromHex(responder.nonce),
    auth: fromHex(auth),
    ack: fromHex(ack),
  };
  const secrets = deriveSecrets(transcript, role);
  compareSecrets(comparison, secrets, handshake, role);
  return secrets;
}

function compareSecrets(
  comparison: Comparison,
  secrets: FrameSecrets,
  { secrets: recorded }: RecordedHandshake,
  role: Role,
) {
  const [ofInitiator, ofResponder] =
    role === "initiator" ? [secrets.egress, secrets.ingress] : [secrets.ingress, secrets.egress];
  comparison.equal("AES secret", toHex(secrets.aes), recorded.aes);
  comparison.equal("MAC secret", toHex(secrets.mac), recorded.mac);
  comparison.equal("initiator's MAC", toHex(keccak256(ofInitiator)), recorded.initiatorEgressMacDigest);
  comparison.equal("responder's MAC", toHex(keccak256(ofResponder)), recorded.initiatorIngressMacDigest);
}

function compareAuth(comparison: Comparison, { auth, authForm, initiator, responder, token }: RecordedHandshake): void {
  const opened = openAndSeal(comparison, "auth", auth, responder);
  const { signature, initiatorId, nonce, ephemeralKeyHash } = decodeAuth(opened.plaintext, opened.form);
  const agreed = keyOf(responder).agree(initiatorId);
  const ephemeralKey = recoverEphemeralKey({ signature, initiatorId, nonce, ephemeralKeyHash }, agreed);
  comparison.equal("form of the auth", opened.form, authForm);
  comparison.equal("initiator", toHex(initiatorId), initiator.nodeId);
  comparison.equal("initiator's nonce", toHex(nonce), initiator.nonce);
  comparison.equal("initiator's ephemeral key", toHex(ephemeralKey), initiator.ephemeralPublic);
  if (token !== undefined) comparison.equal("token", toHex(agreed), token);
}

function compareAck(comparison: Comparison, { ack, ackForm, initiator, responder }: RecordedHandshake): void {
  const opened = openAndSeal(comparison, "ack", ack, initiator);
  const { ephemeralKey, nonce } = decodeAck(opened.plaintext, opened.form);
  comparison.equal("form of the ack", opened.form, ackForm);
  comparison.equal("responder's nonce", toHex(nonce), responder.nonce);
  comparison.equal("responder's ephemeral key", toHex(ephemeralKey), responder.ephemeralPublic);
}

/**
 * Opens a packet with the recipient's key and seals it again. Only the public part of the sender's key of one use is
 * known. Its shared secret with the recipient equals the recipient's shared secret with it.
 */
function openAndSeal(comparison: Comparison, kind: "auth" | "ack", recorded: string, recipient: RecordedSide) {
  const key = keyOf(recipient);
  const opened = new PacketReader(kind, key).push(fromHex(recorded));
  if (opened === undefined) throw new Error(`the ${kind} is not complete`);
  const { form, packet, plaintext } = opened;
  const box = form === "eip8" ? packet.subarray(2) : packet;
  const publicKey = box.subarray(1, 65);
  const random = {
    key: { publicKey, agree: () => key.agree(publicKey) },
    iv: box.subarray(65, 81),
    padding: EMPTY_BYTES,
  };
  comparison.equal(kind, toHex(sealPacket(plaintext, form, key.publicKey, random)), recorded);
  return opened;
}

function compareFrames(
  comparison: Comparison,
  { frames = [] }: RecordedHandshake,
  role: Role,
  secrets: FrameSecrets,
): void {
  const encoder = new FrameEncoder(secrets);
  const decoder = new FrameDecoder(secrets);
  for (const { sender, name, code, payload, frame } of frames) {
    if (sender === role) {
      comparison.equal(`${role}'s ${name}`, toHex(encoder.encode(code, fromHex(payload))), frame);
      continue;
    }
    decoder.push(fromHex(frame));
    const received = decoder.next();
    comparison.equal(`code of ${sender}'s ${name}`, received?.code, code);
    comparison.equal(`${sender}'s ${name}`, received && toHex(received.payload), payload);
  }
}

function keyOf({ staticPrivate }: RecordedSide): AgreementKey {
  return agreementKey(fromHex(staticPrivate));
}
