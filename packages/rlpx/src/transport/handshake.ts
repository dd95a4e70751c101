import { randomBytes, randomInt } from "node:crypto";
import { concatBytes, equalBytes, secp256k1 } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import {
  type Auth,
  decodeAck,
  decodeAuth,
  encodeAck,
  encodeAuth,
  hashOfKey,
  type PacketForm,
  type PacketRandom,
  sealPacket,
} from "./handshake-packets.js";
import { type AgreementKey, agreementKey, newPrivateKey } from "./key-agreement.js";
import type { ReceivedPacket } from "./packet-reader.js";
import { deriveSecrets, type FrameSecrets, xor } from "./secrets.js";

/** All random input of one side's handshake, so that a recorded one can be repeated. */
export interface HandshakeRandom {
  /** Ephemeral private key, 32 bytes. */
  ephemeralPrivateKey: Uint8Array;
  /** Nonce, 32 bytes. */
  nonce: Uint8Array;
  packet: PacketRandom;
}

/** Padding of the reference client; with less, its reader fails (`spec/07 §A.2.2`). */
const PADDING = { minimum: 100, maximum: 299 } as const;
const SIGNATURE_END = 64;

export function newHandshakeRandom(): HandshakeRandom {
  return {
    ephemeralPrivateKey: newPrivateKey(),
    nonce: randomBytes(32),
    packet: {
      key: agreementKey(newPrivateKey()),
      iv: randomBytes(16),
      padding: randomBytes(randomInt(PADDING.minimum, PADDING.maximum + 1)),
    },
  };
}

/** The side that dialled. Its auth has the EIP-8 form unless `form` says otherwise. */
export class InitiatorHandshake {
  /** The first packet, to be written in one piece. */
  readonly auth: Uint8Array;
  private readonly ephemeral: AgreementKey;
  private readonly nonce: Uint8Array;

  /** Creates the auth. Throws {@link RlpxError} `MALFORMED` if `remoteId` (64 bytes) is not a curve point. */
  constructor(key: AgreementKey, remoteId: Uint8Array, random: HandshakeRandom, form: PacketForm = "eip8") {
    this.ephemeral = agreementKey(random.ephemeralPrivateKey);
    this.nonce = random.nonce;
    const auth: Auth = {
      signature: sign(xor(key.agree(remoteId), random.nonce), random.ephemeralPrivateKey),
      initiatorId: key.publicKey,
      nonce: random.nonce,
      ephemeralKeyHash: hashOfKey(this.ephemeral.publicKey),
    };
    this.auth = sealPacket(encodeAuth(auth, form), form, remoteId, random.packet);
  }

  /** Derives the secrets from the responder's packet in either form. Throws {@link RlpxError} `MALFORMED`. */
  receiveAck({ form, packet, plaintext }: ReceivedPacket): FrameSecrets {
    const { ephemeralKey, nonce } = decodeAck(plaintext, form);
    const agreed = this.ephemeral.agree(ephemeralKey);
    const nonces = { initiatorNonce: this.nonce, responderNonce: nonce };
    return deriveSecrets({ agreed, ...nonces, auth: this.auth, ack: packet }, "initiator");
  }
}

/** Result of the responder after reading an auth. */
export interface AnsweredHandshake {
  /** Node id of the initiator, 64 bytes. */
  remoteId: Uint8Array;
  /** The answer, in the form of the auth, to be written in one piece. */
  ack: Uint8Array;
  secrets: FrameSecrets;
}

/** The side that was dialled: answers an auth. Throws {@link RlpxError} `MALFORMED`. */
export function answerAuth(key: AgreementKey, received: ReceivedPacket, random: HandshakeRandom): AnsweredHandshake {
  const { form, packet: auth } = received;
  const opened = decodeAuth(received.plaintext, form);
  const remoteEphemeral = recoverEphemeralKey(opened, key.agree(opened.initiatorId));
  const ephemeral = agreementKey(random.ephemeralPrivateKey);
  const plaintext = encodeAck({ ephemeralKey: ephemeral.publicKey, nonce: random.nonce }, form);
  const ack = sealPacket(plaintext, form, opened.initiatorId, random.packet);
  const agreed = ephemeral.agree(remoteEphemeral);
  const nonces = { initiatorNonce: opened.nonce, responderNonce: random.nonce };
  return {
    remoteId: new Uint8Array(opened.initiatorId),
    ack,
    secrets: deriveSecrets({ agreed, ...nonces, auth, ack }, "responder"),
  };
}

/** Recovers the initiator's ephemeral key, which signed `token` XOR nonce. Throws {@link RlpxError} `MALFORMED`. */
export function recoverEphemeralKey(auth: Auth, token: Uint8Array): Uint8Array {
  const { signature, nonce, ephemeralKeyHash } = auth;
  const recovery = signature[SIGNATURE_END]!;
  const key =
    recovery < 4 ? secp256k1.recover(xor(token, nonce), signature.subarray(0, SIGNATURE_END), recovery) : undefined;
  if (key === undefined) throw malformed("auth", "invalid signature");
  if (ephemeralKeyHash !== undefined && !equalBytes(hashOfKey(key), ephemeralKeyHash)) {
    throw malformed("auth", "the signature is not by the announced key");
  }
  return key;
}

function sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const { signature, recovery } = secp256k1.sign(hash, privateKey);
  return concatBytes(signature, Uint8Array.of(recovery));
}
