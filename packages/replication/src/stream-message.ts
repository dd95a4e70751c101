import type { BatchLink } from "@cambium/database";
import { fromHex, toHex } from "@cambium/primitives";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { Seal } from "./seal.js";

/** A block of the best chain. */
export interface Head {
  number: number;
  hash: Uint8Array;
}

/** A message of the stream: a batch, or one of the pieces of a large one. */
export interface BatchPiece {
  readonly batch: BatchLink;
  /** The writer's latest batch of maintenance, see `BatchLogReader.base`. */
  readonly base: Pick<BatchLink, "sequence" | "hash">;
  /**
   * Index of the piece; 0 for the first one. Index and count are 0 in the message that begins a term: `batch` is then
   * the batch before, and there is no content.
   */
  readonly index: number;
  readonly count: number;
  /** Number of the term in which a node that has the lease publishes; 0 without a lease. */
  readonly term: number;
  /** The writer's best block after the batch. */
  readonly head: Head;
}

/** A message in a stream. */
export interface StoredMessage {
  /** Sequence number of the message in the stream. */
  seq: number;
  headers: MsgHdrs | undefined;
  data: Uint8Array;
}

const BATCH = "Cambium-Batch";
const HASH = "Cambium-Hash";
const PREVIOUS = "Cambium-Previous";
const BASE = "Cambium-Base";
const PIECE = "Cambium-Piece";
const HEAD = "Cambium-Head";
const TERM = "Cambium-Term";

/** Encodes and seals the headers of a message, which is then valid only as message `seq` of the stream. */
export function pieceHeaders(piece: BatchPiece, seq: number, data: Uint8Array, seal: Seal): MsgHdrs {
  const { batch, base, index, count, head, term } = piece;
  const out = headers();
  out.set(BATCH, String(batch.sequence));
  out.set(HASH, toHex(batch.hash));
  out.set(PREVIOUS, toHex(batch.previous));
  out.set(BASE, `${base.sequence}-${toHex(base.hash)}`);
  out.set(PIECE, `${index}/${count}`);
  out.set(HEAD, `${head.number}-${toHex(head.hash)}`);
  if (term > 0) out.set(TERM, String(term));
  return seal.addTo(out, "batch", placeOf(out, seq), data);
}

/** Returns the values that the MAC covers besides the content. */
function placeOf(from: MsgHdrs, seq: number): (string | number)[] {
  return [seq, ...[BATCH, HASH, PREVIOUS, BASE, PIECE, HEAD, TERM].map((name) => from.get(name))];
}

/** Whether a message begins a term. */
export function beginsTerm({ count }: BatchPiece): boolean {
  return count === 0;
}

/** Inverse of {@link pieceHeaders}. Returns undefined if the seal is invalid for this place in the stream. */
export function readPiece({ seq, headers: from, data }: StoredMessage, seal: Seal): BatchPiece | undefined {
  const piece = from && decodePiece(from);
  return piece !== undefined && seal.isIn(from, "batch", placeOf(from!, seq), data) ? piece : undefined;
}

/** Decimal digits without leading zeros. */
const NUMBER = "(0|[1-9]\\d{0,14})";
const SEQUENCE = new RegExp(`^${NUMBER}$`);
const LINK = new RegExp(`^${NUMBER}-([0-9a-f]{16})$`);
const PLACE = new RegExp(`^${NUMBER}/${NUMBER}$`);
const BLOCK = new RegExp(`^${NUMBER}-([0-9a-f]{64})$`);

/** Decodes headers without checking their seal. Returns undefined if they are malformed. */
export function decodePiece(from: MsgHdrs): BatchPiece | undefined {
  const sequence = SEQUENCE.exec(from.get(BATCH));
  const [hash, previous] = [hexOf(from.get(HASH), 8), hexOf(from.get(PREVIOUS), 8)];
  const base = LINK.exec(from.get(BASE));
  const piece = PLACE.exec(from.get(PIECE));
  const head = BLOCK.exec(from.get(HEAD));
  const term = from.get(TERM) === "" ? [""] : SEQUENCE.exec(from.get(TERM));
  if (!sequence || !hash || !previous || !base || !piece || !head || !term || term[0] === "0") return undefined;
  const [index, count] = [Number(piece[1]), Number(piece[2])];
  if (index >= Math.max(count, 1)) return undefined;
  return {
    batch: { sequence: Number(sequence[0]), hash, previous },
    base: { sequence: Number(base[1]), hash: fromHex(base[2]!) },
    index,
    count,
    head: { number: Number(head[1]), hash: fromHex(head[2]!) },
    term: Number(term[0]),
  };
}

function hexOf(text: string, bytes: number): Uint8Array | undefined {
  return text.length === 2 * bytes && /^[0-9a-f]+$/.test(text) ? fromHex(text) : undefined;
}

/** Returns the number of messages for a batch of this length in bytes. */
export function pieceCount(length: number, pieceBytes: number): number {
  return Math.max(1, Math.ceil(length / pieceBytes));
}
