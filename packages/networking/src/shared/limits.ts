// Limits of `spec/07 §D.4` and `§D.5` on messages of either wire.

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** Number of blocks between two entries of a skeleton (`spec/07 §B.0`). */
export const SKELETON_STEP = 192;
export const MAX_SKELETON = 64;
export const MAX_HASHES = 64;
export const MAX_HEADERS = 192;
export const MAX_BODIES = 32;
export const MAX_BLOCKS = 16;
export const MAX_TRANSACTIONS = 256;
/** Maximum number of transactions in a gossip message (`spec/07 §D.4`). */
export const MAX_GOSSIP_TRANSACTIONS = 64;
/** Maximum number of blocks in a snapshot's answer (`spec/07 §B.7`). */
export const MAX_SNAPSHOT_BLOCKS = 400;
/** Maximum size of one transaction in an answer or a gossip message, in bytes. */
export const MAX_TRANSACTION_BYTES = 128 * KIB;
/** Maximum size of a total difficulty, in bytes (`spec/07 §D.6`: below 2^128). */
export const TOTAL_DIFFICULTY_BYTES = 16;

const BLOCK_FRAMES_OF_ANSWER = 4;

/** Returns the maximum size in bytes of a frame with one block or body: any block under that gas limit fits. */
export function blockFrameBytes(gasLimit: bigint): number {
  return Math.max(4 * MIB, Number(gasLimit / 3n));
}

/** Returns the maximum size in bytes of an answer with blocks or bodies: 16 MiB, or more if frames may be larger. */
export function blockAnswerBytes(gasLimit: bigint): number {
  return BLOCK_FRAMES_OF_ANSWER * blockFrameBytes(gasLimit);
}
