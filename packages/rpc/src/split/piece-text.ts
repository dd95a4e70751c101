import { fromHex, toHex } from "@cambium/primitives";
import type { Piece } from "./piece.js";

/** Marks bytes in JSON; no other object of a piece has this member. */
const BYTES = "$";

/** A piece as JSON, to be sent to another process. */
export function pieceToText(piece: Piece): string {
  return JSON.stringify(withHex(piece));
}

/** A value with its bytes as text: `JSON.stringify` would ask a `Buffer` for its own form first. */
function withHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES]: toHex(value) };
  if (Array.isArray(value)) return value.map(withHex);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHex(member)]));
}

/** Reads what {@link pieceToText} has written. Throws if it is anything else. */
export function pieceFromText(text: string): Piece {
  const piece = JSON.parse(text, (_, value) =>
    typeof value === "object" && value !== null && typeof value[BYTES] === "string" ? fromHex(value[BYTES]) : value,
  ) as Piece;
  if (piece.task !== "logPiece" && piece.task !== "tracePiece") throw new Error("no such task");
  return piece;
}
