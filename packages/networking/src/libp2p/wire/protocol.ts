import type { PeerId } from "../../interface.js";
import type { RateBound } from "../../shared/rates.js";

/** Limits of a protocol, enforced while reading, in bytes and milliseconds. */
export interface ProtocolBounds {
  requestBytes: number;
  /**
   * Maximum size of a frame without length prefix and result code; grows with the gas limit of blocks (`spec/07 §D.4`).
   */
  frameBytes(gasLimit: bigint): number;
  /** Maximum number of frames in the response to a request for this many items. */
  frames(items: number): number;
  /** Maximum size of all frames of an answer. */
  totalBytes(gasLimit: bigint): number;
  /** Number of streams that a peer may have open at a time. */
  inboundStreams: number;
  firstByteTimeout: number;
}

/**
 * A request/response protocol as data. Decoders throw only `NetworkingError` `MALFORMED`. Length prefixes and result
 * codes of frames are handled outside.
 */
export interface Protocol<Request, Item> {
  /** Name in the protocol's id (`spec/07 §D.4`). */
  readonly name: string;
  readonly bounds: ProtocolBounds;
  readonly rate: RateBound;
  /** Number of requested items: the tokens that a request costs, and the limit on the frames of its answer. */
  items(request: Request): number;
  encodeRequest(request: Request): Uint8Array;
  decodeRequest(bytes: Uint8Array): Request;
  encodeItem(item: Item): Uint8Array;
  /** Decodes an item and checks it against the request. `index` is that of the frame. */
  decodeItem(bytes: Uint8Array, request: Request, index: number): Item;
}

/** One frame of an answer: data, or "not available", which does not end an answer with several items. */
export type AnswerItem<Item> = { kind: "data"; item: Item } | { kind: "not-available" };

/**
 * Answers requests of a protocol; may end early. Errors are logged and answered with "server error". `NetworkingError`
 * `INVALID_REQUEST` is answered with "invalid request".
 */
export type Responder<Request, Item> = (
  request: Request,
  peer: PeerId,
) => AsyncIterable<AnswerItem<Item>> | Iterable<AnswerItem<Item>>;
