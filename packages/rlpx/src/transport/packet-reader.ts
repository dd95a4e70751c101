import { concatBytes, EMPTY_BYTES } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { eip8Length, OLD_PACKET_LENGTH, openPacket, type PacketForm, type PacketKind } from "./handshake-packets.js";
import type { AgreementKey } from "./key-agreement.js";

/** Maximum size of an EIP-8 packet, in bytes. The reference client's packets have at most 583. */
const MAXIMUM_PACKET = 2048;
/** First byte of a packet of the old form: its key is uncompressed. */
const OLD_FORM_START = 4;

/** An opened packet. */
export interface ReceivedPacket {
  form: PacketForm;
  /** The packet as on the wire. */
  packet: Uint8Array;
  plaintext: Uint8Array;
  /** The bytes after the packet. */
  rest: Uint8Array;
}

/**
 * Reads an auth or ack, cut at any point. As in the reference client, the old form is tried first, at its exact length.
 * Otherwise the first two bytes are the size of an EIP-8 packet, which must not be shorter (`spec/07 §A.2.2`).
 */
export class PacketReader {
  private bytes: Uint8Array = EMPTY_BYTES;
  private isEip8 = false;

  constructor(
    private readonly kind: PacketKind,
    private readonly key: AgreementKey,
  ) {}

  /** Returns the packet once it is complete. Throws {@link RlpxError} `MALFORMED` or `TOO_LARGE`. */
  push(chunk: Uint8Array): ReceivedPacket | undefined {
    this.bytes = concatBytes(this.bytes, chunk);
    const oldLength = OLD_PACKET_LENGTH[this.kind];
    if (this.bytes.length < oldLength) return undefined;
    if (!this.isEip8) {
      const old = this.openOld(oldLength);
      if (old !== undefined) return old;
      this.isEip8 = true;
    }
    return this.openEip8(oldLength);
  }

  private openOld(length: number): ReceivedPacket | undefined {
    if (this.bytes[0] !== OLD_FORM_START) return undefined;
    try {
      return this.open("old", length);
    } catch {
      return undefined;
    }
  }

  private openEip8(minimum: number): ReceivedPacket | undefined {
    const length = eip8Length(this.bytes);
    if (length < minimum + 2) {
      throw new RlpxError({ code: "MALFORMED", what: this.kind, reason: `a size of ${length - 2} bytes` });
    }
    if (length > MAXIMUM_PACKET) {
      throw new RlpxError({ code: "TOO_LARGE", what: this.kind, bytes: length, limit: MAXIMUM_PACKET });
    }
    return this.bytes.length < length ? undefined : this.open("eip8", length);
  }

  private open(form: PacketForm, length: number): ReceivedPacket {
    const packet = this.bytes.subarray(0, length);
    return { form, packet, plaintext: openPacket(packet, form, this.key), rest: this.bytes.subarray(length) };
  }
}
