/* Lengths of a frame (`spec/07 §A.2.3`): header(16) || MAC(16) || body, padded || MAC(16). */

const BLOCK_LENGTH = 16;
export const HEADER_LENGTH = BLOCK_LENGTH;
/** Length of the body's size, at the start of a header. */
export const SIZE_LENGTH = 3;

/** The largest body, message code included: the reference client reads the first byte of the size as signed. */
export const MAXIMUM_BODY = 2 ** 23 - 1;

/** Initial counter of the key stream of either direction. */
export const ZERO_IV: Uint8Array = new Uint8Array(BLOCK_LENGTH);

/** Returns the length of a body on the wire, padded to whole blocks. */
export function paddedLength(size: number): number {
  return Math.ceil(size / BLOCK_LENGTH) * BLOCK_LENGTH;
}
