import assert from "node:assert/strict";
import { concatBytes, fromHex, keccak256, utf8 } from "@cambium/primitives";
import { attempt, decoding, type FuzzTarget } from "@cambium/test-utils/fuzz-target";
import { RawFrames } from "@cambium/test-utils/peers/raw-frames";
import { RlpxError } from "../../src/errors.js";
import { FrameDecoder } from "../../src/transport/frame-decoder.js";
import { FrameEncoder } from "../../src/transport/frame-encoder.js";
import { type HandshakeRandom, InitiatorHandshake } from "../../src/transport/handshake.js";
import { decodeAck, decodeAuth, encodeAck, encodeAuth, sealPacket } from "../../src/transport/handshake-packets.js";
import { encodeHello } from "../../src/transport/hello.js";
import { agreementKey } from "../../src/transport/key-agreement.js";
import { Negotiation } from "../../src/transport/negotiation.js";
import { newIdentity, optionsWith } from "../transport/options.js";
import { HANDSHAKES, open } from "../transport/vectors.js";

const refusals = [RlpxError];
const keyOf = (name: string) => keccak256(utf8(name));
const OWN = newIdentity(keyOf("responder"));
const DIALLER = agreementKey(keyOf("initiator"));
const PACKET = { key: agreementKey(keyOf("packet")), iv: new Uint8Array(16), padding: new Uint8Array(100) };

function randomOf(name: string): HandshakeRandom {
  return { ephemeralPrivateKey: keyOf(`${name} ephemeral`), nonce: keyOf(`${name} nonce`), packet: PACKET };
}

function authOf(form: "eip8" | "old"): Uint8Array {
  return new InitiatorHandshake(DIALLER, OWN.nodeId, randomOf("initiator"), form).auth;
}

/** Returns a responder with the same random input each time, and its output. */
function responder(): { negotiation: Negotiation; written: Uint8Array[] } {
  const written: Uint8Array[] = [];
  const options = optionsWith({ identity: OWN, random: () => randomOf("responder") });
  return { negotiation: new Negotiation(options, undefined, (bytes) => void written.push(bytes)), written };
}

const SECRETS = {
  aes: keyOf("aes"),
  mac: keyOf("mac"),
  egress: fromHex("01"),
  ingress: fromHex("01"),
};
const HELLO = encodeHello({
  p2pVersion: 4,
  clientId: "fuzz",
  capabilities: [{ name: "rsk", version: 62 }],
  listenPort: 5050,
  nodeId: DIALLER.publicKey,
});

/** Frames cut at positions that depend on the bytes. */
function readFrames(wire: Uint8Array): void {
  const decoder = new FrameDecoder(SECRETS);
  for (let at = 0, end = 0; at < wire.length; at = end) {
    end = at + 1 + (wire[at]! % 61);
    decoder.push(wire.subarray(at, end));
    for (let frame = decoder.next(); frame !== undefined; frame = decoder.next()) assert(frame.code <= 255);
    assert(decoder.heldBytes <= 2 * wire.length + 0x10000);
  }
}

const auth = {
  signature: new Uint8Array(65),
  initiatorId: DIALLER.publicKey,
  nonce: keyOf("n"),
  ephemeralKeyHash: keyOf("h"),
};
const ack = { ephemeralKey: DIALLER.publicKey, nonce: keyOf("n") };

/** A packet without its encryption, read in both forms. */
function handshakePacket(
  kind: "auth" | "ack",
  own: readonly Uint8Array[],
  decode: typeof decodeAuth | typeof decodeAck,
): FuzzTarget {
  const recipient = kind === "auth" ? "responder" : "initiator";
  return {
    seeds: () => [
      ...own,
      ...HANDSHAKES.map((recorded) => open(kind, fromHex(recorded[kind]), recorded[recipient]).plaintext),
    ],
    run(input) {
      for (const form of ["eip8", "old"] as const) {
        const decoded = attempt(() => decode(input, form), refusals);
        assert(decoded === undefined || decoded.value.nonce.length === 32);
      }
    },
  };
}

export const targets: Readonly<Record<string, FuzzTarget>> = {
  auth: handshakePacket("auth", [encodeAuth(auth, "eip8"), encodeAuth(auth, "old")], decodeAuth),
  ack: handshakePacket("ack", [encodeAck(ack, "eip8"), encodeAck(ack, "old")], decodeAck),
  /** The first bytes of a dialling peer. */
  handshake: decoding({
    seeds: () => [authOf("eip8"), authOf("old")],
    decode(input) {
      const { negotiation } = responder();
      for (const part of [input.subarray(0, 307), input.subarray(307)]) negotiation.receive(part);
    },
    refusals,
  }),
  /** Any plaintext of that packet, correctly encrypted and authenticated. */
  "sealed-auth": decoding({
    seeds: () => [encodeAuth(auth, "eip8")],
    maxLength: 1500,
    decode: (input) => responder().negotiation.receive(sealPacket(input, "eip8", OWN.nodeId, PACKET)),
    refusals,
  }),
  /** Any bytes at the beginning of a frame. */
  "frame-bytes": decoding({
    seeds: () => {
      const encoder = new FrameEncoder(SECRETS);
      return [concatBytes(encoder.encode(0, HELLO), encoder.encode(24, new Uint8Array(100)))];
    },
    decode: readFrames,
    refusals,
  }),
  /** Frames with correct MACs around header data (13 bytes) and a body. */
  frame: decoding({
    seeds: () => [
      concatBytes(fromHex("c180"), new Uint8Array(11), fromHex("00"), HELLO),
      concatBytes(fromHex("c3800109"), new Uint8Array(9), fromHex("820002c0")),
    ],
    decode(input) {
      const [headerData, body] = [input.subarray(0, 13), input.subarray(13)];
      readFrames(new RawFrames(SECRETS).write({ headerData, body }));
    },
    refusals,
  }),
};
