import { createHmac, timingSafeEqual } from "node:crypto";
import { fromHex, toHex, utf8 } from "@cambium/primitives";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { StreamAddress } from "./connection.js";

/** Kinds of sealed messages. A message of one kind never passes for another. */
export type SealPurpose = "batch" | "copy" | "lease" | "request" | "answer" | "pool" | "pool-request" | "pool-part";

/** Values that distinguish a message from all others of its purpose. */
type Place = readonly (string | number)[];
type Content = Uint8Array | string;

/** Keys and network of a seal, as plain data that can be passed to threads. */
export interface SealKeys {
  /** Hash of block 0 of the network. */
  genesis: Uint8Array;
  /** Keys of 32 bytes. The first one seals; all are accepted. Without a key, a well-known one is used. */
  keys: readonly Uint8Array[];
}

/** A stream, and the seal of its nodes. */
export interface SealedStream extends StreamAddress {
  seal: Seal;
}

/** Key without a key file. It proves nothing, but reveals damaged, repeated and misplaced messages. */
const KNOWN_KEY = utf8("cambium without a key file");
const MAC = "Cambium-Mac";

/**
 * Authenticates messages between the nodes of a stream, by an HMAC-SHA-256 over purpose, network, stream, place and
 * content. Without the key, a publisher cannot forge messages, change them, or repeat them in another place.
 */
export class Seal {
  private readonly accepted: readonly Uint8Array[];
  private readonly context: readonly string[];

  constructor(
    stream: string,
    readonly keys: SealKeys,
  ) {
    this.accepted = keys.keys.length === 0 ? [KNOWN_KEY] : keys.keys;
    this.context = [toHex(keys.genesis), stream];
  }

  /** Computes the MAC, in hex. */
  of(purpose: SealPurpose, place: Place, content: Content): string {
    return toHex(this.mac(this.accepted[0]!, purpose, place, content));
  }

  /** Whether `text` is the MAC in hex, for any of the keys. */
  matches(text: string, purpose: SealPurpose, place: Place, content: Content): boolean {
    if (!/^[0-9a-f]{64}$/.test(text)) return false;
    const given = fromHex(text);
    return this.accepted.some((key) => timingSafeEqual(given, this.mac(key, purpose, place, content)));
  }

  /** Adds the MAC to the headers of a message. */
  addTo(out: MsgHdrs, purpose: SealPurpose, place: Place, content: Content): MsgHdrs {
    out.set(MAC, this.of(purpose, place, content));
    return out;
  }

  /** Creates headers with the MAC only. */
  headers(purpose: SealPurpose, place: Place, content: Content): MsgHdrs {
    return this.addTo(headers(), purpose, place, content);
  }

  /** Whether headers contain the MAC of their message. */
  isIn(from: MsgHdrs | undefined, purpose: SealPurpose, place: Place, content: Content): boolean {
    return from !== undefined && this.matches(from.get(MAC), purpose, place, content);
  }

  private mac(key: Uint8Array, purpose: SealPurpose, place: Place, content: Content): Uint8Array {
    const about = JSON.stringify([purpose, ...this.context, ...place]);
    return createHmac("sha256", key).update(about).update("\n").update(content).digest();
  }
}

/** Adds the seal of its nodes to a stream. */
export function sealedStream({ servers, stream }: StreamAddress, keys: SealKeys): SealedStream {
  return { servers, stream, seal: new Seal(stream, keys) };
}
