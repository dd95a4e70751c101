import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { decodeRlpItem, EMPTY_BYTES, fromHex } from "@cambium/primitives";
import { vectorPath } from "@cambium/test-utils/vectors";
import type { HandshakeRandom } from "../../src/transport/handshake.js";
import { agreementKey } from "../../src/transport/key-agreement.js";
import { PacketReader } from "../../src/transport/packet-reader.js";

export interface RecordedSide {
  nodeId: string;
  staticPrivate: string;
  ephemeralPrivate?: string;
  nonce: string;
}

/** A handshake of `test/vectors/rlpx/handshakes.json`. */
export interface RecordedHandshake {
  name: string;
  authForm: "eip8" | "old";
  ackForm: "eip8" | "old";
  initiator: RecordedSide;
  responder: RecordedSide;
  auth: string;
  ack: string;
  secrets: Record<"aes" | "mac" | "initiatorEgressMacDigest" | "initiatorIngressMacDigest", string>;
}

export interface RecordedSequence {
  name: string;
  aes: string;
  mac: string;
  macInit: string;
  frames: readonly { code: number; payload: string; headerData: string; frame: string }[];
}

/** A JSON file of `test/vectors/rlpx`, plain or gzipped. */
export function recorded<T>(file: string): T {
  const bytes = readFileSync(vectorPath("rlpx", file));
  return JSON.parse((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8")) as T;
}

export const HANDSHAKES = recorded<{ handshakes: readonly RecordedHandshake[] }>("handshakes.json").handshakes;

export function open(kind: "auth" | "ack", packet: Uint8Array, recipient: RecordedSide) {
  return new PacketReader(kind, agreementKey(fromHex(recipient.staticPrivate))).push(packet)!;
}

/**
 * Returns the random input of one side of a handshake. The ephemeral key of its packet is known by its public part
 * only. The shared secret with the recipient is therefore computed from the recipient's key.
 */
export function randomOf(handshake: RecordedHandshake, role: "initiator" | "responder"): HandshakeRandom {
  const [kind, recipient] =
    role === "initiator" ? (["auth", handshake.responder] as const) : (["ack", handshake.initiator] as const);
  const { form, packet, plaintext } = open(kind, fromHex(handshake[kind]), recipient);
  const box = form === "eip8" ? packet.subarray(2) : packet;
  const publicKey = box.subarray(1, 65);
  return {
    ephemeralPrivateKey: fromHex(handshake[role].ephemeralPrivate!),
    nonce: fromHex(handshake[role].nonce),
    packet: {
      key: { publicKey, agree: () => agreementKey(fromHex(recipient.staticPrivate)).agree(publicKey) },
      iv: box.subarray(65, 81),
      padding: form === "eip8" ? plaintext.subarray(decodeRlpItem(plaintext).end) : EMPTY_BYTES,
    },
  };
}
