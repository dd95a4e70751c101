import type { PeerId } from "../interface.js";

/** Protocols of requests, by the name in their id (`spec/07 §D.4`). */
export type ProtocolName =
  | "status"
  | "goodbye"
  | "skeleton"
  | "hashes"
  | "headers"
  | "bodies"
  | "blocks"
  | "txs"
  | "snap-status"
  | "snap-blocks"
  | "snap-chunk";

/** What may come in, known before a byte of it is read. Bytes, milliseconds. */
export interface ProtocolBounds {
  requestBytes: number;
  /** One frame, without its length prefix and result code; grows with the gas limit of blocks (`spec/07 §D.4`). */
  frameBytes(gasLimit: bigint): number;
  /** Of the answer to a request that asks for `items`. */
  frames(items: number): number;
  totalBytes(gasLimit: bigint): number;
  /** Streams a peer may have open at once. */
  inboundStreams: number;
  firstByteTimeout: number;
}

/** `tokens` every `window` milliseconds for each peer; `total` for all peers together where there is a bound. */
export interface RateBound {
  tokens: number;
  window: number;
  total?: number;
}

/**
 * A request/response protocol as data. Decoders throw `NetworkingError` `MALFORMED` and nothing else; what the engine
 * does with a frame's length and result code is none of their business.
 */
export interface Protocol<Request, Item> {
  readonly name: ProtocolName;
  readonly bounds: ProtocolBounds;
  readonly rate: RateBound;
  /** How many things a request asks for: tokens it costs, and what bounds the frames of its answer. */
  items(request: Request): number;
  encodeRequest(request: Request): Uint8Array;
  decodeRequest(bytes: Uint8Array): Request;
  encodeItem(item: Item): Uint8Array;
  /** Also checks the item against what was asked, as far as the two alone allow. `index` counts the frames. */
  decodeItem(bytes: Uint8Array, request: Request, index: number): Item;
}

/** One frame of an answer: data, or that the asked thing is not available (which does not end a multi-item answer). */
export type AnswerItem<Item> = { kind: "data"; item: Item } | { kind: "not-available" };

/**
 * Answers requests of a protocol. May end early. A throw is answered with "server error" and logged; `NetworkingError`
 * `INVALID_REQUEST` with "invalid request".
 */
export type Responder<Request, Item> = (
  request: Request,
  peer: PeerId,
) => AsyncIterable<AnswerItem<Item>> | Iterable<AnswerItem<Item>>;
