import { concatBytes, decodeRlpItem, EMPTY_BYTES, encodeRlp, keccak256, type RlpItem } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { malformed } from "../rlp.js";
import { decryptEcies, ECIES_OVERHEAD, type EciesRandom, encryptEcies } from "./ecies.js";
import type { AgreementKey } from "./key-agreement.js";

/** Forms of packets. EIP-8 packets have a size and padding, those of the old form a fixed length (`spec/07 §A.2.2`). */
export type PacketForm = "eip8" | "old";

/** The packet with which the initiator opens the handshake. */
export interface Auth {
  /** Signature by the initiator's ephemeral key: r, s and recovery id, 65 bytes. */
  signature: Uint8Array;
  /** Node id of the initiator, 64 bytes. */
  initiatorId: Uint8Array;
  /** Nonce, 32 bytes. */
  nonce: Uint8Array;
  /** Keccak-256 of the initiator's ephemeral key; the EIP-8 form lacks it. */
  ephemeralKeyHash: Uint8Array | undefined;
}

/** The responder's packet. */
export interface Ack {
  /** The responder's ephemeral key, 64 bytes. */
  ephemeralKey: Uint8Array;
  /** Nonce, 32 bytes. */
  nonce: Uint8Array;
}

/** Random input of a packet. The reference client needs 100 to 299 bytes of padding; the old form has none. */
export interface PacketRandom extends EciesRandom {
  padding: Uint8Array;
}

const ID_LENGTH = 64;
const NONCE_LENGTH = 32;
const HASH_LENGTH = 32;
const SIGNATURE_LENGTH = 65;
const SIZE_LENGTH = 2;
const VERSION = Uint8Array.of(4);
/** Last byte of the old form: no token of an earlier session is used. */
const NO_TOKEN = Uint8Array.of(0);

const OLD_AUTH_LENGTH = SIGNATURE_LENGTH + HASH_LENGTH + ID_LENGTH + NONCE_LENGTH + NO_TOKEN.length;
const OLD_ACK_LENGTH = ID_LENGTH + NONCE_LENGTH + NO_TOKEN.length;

/** Lengths of whole packets of the old form: 307 and 210 bytes. */
export const OLD_PACKET_LENGTH = {
  auth: OLD_AUTH_LENGTH + ECIES_OVERHEAD,
  ack: OLD_ACK_LENGTH + ECIES_OVERHEAD,
} as const;

export type PacketKind = keyof typeof OLD_PACKET_LENGTH;

/** Encodes the plaintext of an auth, without padding. The old form requires `ephemeralKeyHash`. */
export function encodeAuth(auth: Auth, form: PacketForm): Uint8Array {
  const { signature, initiatorId, nonce, ephemeralKeyHash } = auth;
  if (form === "eip8") return encodeRlp([signature, initiatorId, nonce, VERSION]);
  return concatBytes(signature, ephemeralKeyHash ?? new Uint8Array(HASH_LENGTH), initiatorId, nonce, NO_TOKEN);
}

/** Decodes an auth. Throws {@link RlpxError} `MALFORMED`. */
export function decodeAuth(plaintext: Uint8Array, form: PacketForm): Auth {
  if (form === "eip8") {
    const [signature, initiatorId, nonce] = fields("auth", plaintext, [SIGNATURE_LENGTH, ID_LENGTH, NONCE_LENGTH]);
    return { signature: signature!, initiatorId: initiatorId!, nonce: nonce!, ephemeralKeyHash: undefined };
  }
  expectLength("auth", plaintext, OLD_AUTH_LENGTH);
  const cut = cutter(plaintext);
  const signature = cut(SIGNATURE_LENGTH);
  const ephemeralKeyHash = cut(HASH_LENGTH);
  return { signature, ephemeralKeyHash, initiatorId: cut(ID_LENGTH), nonce: cut(NONCE_LENGTH) };
}

/** Encodes the plaintext of an ack, without padding. */
export function encodeAck({ ephemeralKey, nonce }: Ack, form: PacketForm): Uint8Array {
  return form === "eip8" ? encodeRlp([ephemeralKey, nonce, VERSION]) : concatBytes(ephemeralKey, nonce, NO_TOKEN);
}

/** Decodes an ack. Throws {@link RlpxError} `MALFORMED`. */
export function decodeAck(plaintext: Uint8Array, form: PacketForm): Ack {
  if (form === "eip8") {
    const [ephemeralKey, nonce] = fields("ack", plaintext, [ID_LENGTH, NONCE_LENGTH]);
    return { ephemeralKey: ephemeralKey!, nonce: nonce! };
  }
  expectLength("ack", plaintext, OLD_ACK_LENGTH);
  const cut = cutter(plaintext);
  return { ephemeralKey: cut(ID_LENGTH), nonce: cut(NONCE_LENGTH) };
}

/** Seals a plaintext for `recipient` (64 bytes) into a whole packet, as on the wire. */
export function sealPacket(
  plaintext: Uint8Array,
  form: PacketForm,
  recipient: Uint8Array,
  random: PacketRandom,
): Uint8Array {
  if (form === "old") return encryptEcies(recipient, plaintext, EMPTY_BYTES, random);
  const padded = concatBytes(plaintext, random.padding);
  const length = padded.length + ECIES_OVERHEAD;
  const size = Uint8Array.of(length >> 8, length & 0xff);
  return concatBytes(size, encryptEcies(recipient, padded, size, random));
}

/** Returns the plaintext of a whole packet, padding included. Throws {@link RlpxError} `MALFORMED`. */
export function openPacket(packet: Uint8Array, form: PacketForm, key: AgreementKey): Uint8Array {
  if (form === "old") return decryptEcies(key, packet, EMPTY_BYTES);
  return decryptEcies(key, packet.subarray(SIZE_LENGTH), packet.subarray(0, SIZE_LENGTH));
}

/** Returns the length of the whole EIP-8 packet that starts with these bytes. */
export function eip8Length(start: Uint8Array): number {
  return start[0]! * 256 + start[1]! + SIZE_LENGTH;
}

export function hashOfKey(publicKey: Uint8Array): Uint8Array {
  return keccak256(publicKey);
}

/**
 * Returns the first strings of an EIP-8 list, of the given lengths. Ignores further elements, any version and bytes
 * after the list, as EIP-8 requires.
 */
function fields(what: PacketKind, plaintext: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  const items = listItems(what, plaintext);
  return lengths.map((length, i) => {
    const bytes = items[i]?.bytes;
    if (bytes?.length !== length)
      throw malformed(what, `element ${i} has ${bytes?.length ?? "no"} bytes, not ${length}`);
    return bytes;
  });
}

function listItems(what: PacketKind, plaintext: Uint8Array): readonly RlpItem[] {
  try {
    return decodeRlpItem(plaintext).items;
  } catch (error) {
    throw malformed(what, (error as Error).message);
  }
}

function expectLength(what: PacketKind, plaintext: Uint8Array, length: number): void {
  if (plaintext.length !== length) throw malformed(what, `${plaintext.length} bytes, not ${length}`);
}

/** Returns a function that returns the next bytes at each call. */
function cutter(bytes: Uint8Array): (length: number) => Uint8Array {
  let offset = 0;
  return (length) => bytes.subarray(offset, (offset += length));
}
