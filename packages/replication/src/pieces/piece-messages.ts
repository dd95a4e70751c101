import type { StreamAddress } from "../connection.js";

/** Header of a request: milliseconds for the piece, and the node that asks. */
export const TIMEOUT_HEADER = "Cambium-Timeout";
export const FROM_HEADER = "Cambium-From";

/**
 * Header of an answer. `working`: the search goes on. `part`: content of the result, of which more follows. `end`: its last part. `limit`: a
 * limit is exceeded, so that pieces cannot give the answer. `failed`: the content says why.
 */
export const KIND_HEADER = "Cambium-Piece";
export type AnswerKind = "working" | "part" | "end" | "limit" | "failed";

/** Milliseconds between two signs of life of a search, and without any until it is given up. */
export const SIGN_INTERVAL = 250;
export const MAX_SILENCE = 2_000;

/** Name of the service of the replicas of a stream. */
export function serviceName({ stream }: Pick<StreamAddress, "stream">): string {
  return `${stream}-pieces`;
}

/** Subject of the pieces for one replica. */
export function pieceSubject({ stream }: Pick<StreamAddress, "stream">, id: string): string {
  return `${stream}.pieces.${id}`;
}

/** Subject of the inboxes of pieces that are not awaited any more. */
export function cancelSubject(pieces: string): string {
  return `${pieces}.cancel`;
}

/** What a replica says of itself. */
export interface PieceServerState {
  /** Number of its best block. */
  head: number;
  /** Lowest block of which it has all. */
  from: number;
  /** Number of pieces that it searches. */
  load: number;
}
