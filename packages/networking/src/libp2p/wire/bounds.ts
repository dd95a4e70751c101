import { blockAnswerBytes, blockFrameBytes } from "../../shared/limits.js";
import type { RateBound } from "../../shared/rates.js";
import type { ProtocolBounds } from "./protocol.js";

const SECOND = 1000;

/** Bounds of a protocol with small answers; `own` replaces the defaults. */
export function smallBounds(
  frameBytes: number,
  own: Partial<ProtocolBounds> & Pick<ProtocolBounds, "requestBytes">,
): ProtocolBounds {
  return {
    frameBytes: () => frameBytes,
    frames: () => 1,
    totalBytes: () => frameBytes,
    inboundStreams: 1,
    firstByteTimeout: 5 * SECOND,
    ...own,
  };
}

/** Bounds of a protocol with one block or body per frame; `own` replaces the defaults. */
export function blockBounds(own: Partial<ProtocolBounds> & Pick<ProtocolBounds, "requestBytes">): ProtocolBounds {
  return {
    frameBytes: blockFrameBytes,
    frames: (items) => items,
    totalBytes: blockAnswerBytes,
    inboundStreams: 2,
    firstByteTimeout: 5 * SECOND,
    ...own,
  };
}

/** Time limit for answers that take time to look up. */
export const SLOW_FIRST_BYTE: Pick<ProtocolBounds, "firstByteTimeout"> = { firstByteTimeout: 10 * SECOND };

/** Rate of `tokens` every ten seconds for a peer. If answers are large, all peers together have five times as many. */
export function perTenSeconds(tokens: number, options: { isLarge: boolean } = { isLarge: false }): RateBound {
  const bound = { tokens, window: 10 * SECOND };
  return options.isLarge ? { ...bound, total: 5 * tokens } : bound;
}
