import { createHmac, timingSafeEqual } from "node:crypto";
import { fromHex, toHex, utf8 } from "@cambium/primitives";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { StreamAddress } from "./connection.js";

/** Kinds of sealed messages: none passes for one of another kind. */
export type SealPurpose =
  | "batch"
  | "copy"
  | "lease"
  | "request"
  | "answer"
  | "pool"
  | "pool-request"
  | "pool-part"
  | "piece"
  | "piece-answer"
  | "piece-end";

/** What distinguishes a message from all others of its purpose. */
type Place = readonly (string | number)[];
type Content = Uint8Array | string;

/** With what the nodes of a network seal messages. Plain data, so that other threads can have it. */
export interface SealKeys {
  /** Hash of block 0 of the network. */
  genesis: Uint8Array;
  /** Keys of 32 bytes: the first one seals, each of them is accepted. Without any, a key that everyone knows is used. */
  keys: readonly Uint8Array[];
}

/** A stream, and what authenticates the messages about it. */
export interface SealedStream extends StreamAddress {
  seal: Seal;
}

/** Its seals prove nothing, but reveal messages that are damaged, repeated, or of another network or program. */
const KNOWN_KEY = utf8("cambium without a key file");
const MAC = "Cambium-Mac";

/**
 * Authenticates what the nodes of a stream send each other: an HMAC-SHA-256 over purpose, network, stream, place and content. A publisher
 * without the key cannot forge messages, change them, or repeat them in another place.
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

  /** The MAC in hex. */
  of(purpose: SealPurpose, place: Place, content: Content): string {
    return toHex(this.mac(this.accepted[0]!, purpose, place, content));
  }

  /** Whether a text is the MAC in hex, with any of the keys. */
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

  /** Headers with the MAC only. */
  headers(purpose: SealPurpose, place: Place, content: Content): MsgHdrs {
    return this.addTo(headers(), purpose, place, content);
  }

  /** Whether the headers of a message have its MAC. */
  isIn(from: MsgHdrs | undefined, purpose: SealPurpose, place: Place, content: Content): boolean {
    return from !== undefined && this.matches(from.get(MAC), purpose, place, content);
  }

  private mac(key: Uint8Array, purpose: SealPurpose, place: Place, content: Content): Uint8Array {
    const about = JSON.stringify([purpose, ...this.context, ...place]);
    return createHmac("sha256", key).update(about).update("\n").update(content).digest();
  }
}

/** The messages of a stream, sealed with the keys of its nodes. */
export function sealedStream({ servers, stream }: StreamAddress, keys: SealKeys): SealedStream {
  return { servers, stream, seal: new Seal(stream, keys) };
}
