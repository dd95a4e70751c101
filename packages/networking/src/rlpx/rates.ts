import type { RequestRates } from "../interface.js";

const SECOND = 1000;

/**
 * Rates of our requests to a deployed node, which permanently drops messages above 1000 a minute (`spec/07 §B.2`). Each
 * height or body costs one message. All requests of a synchronisation stay below the 840 that the session sends in any
 * 60 s, so that they do not wait in its queue.
 */
export const DEPLOYED_RATES: RequestRates = {
  hashes: { tokens: 64, window: 32 * SECOND },
  skeleton: { tokens: 3, window: 10 * SECOND },
  headers: { tokens: 20 * 192, window: 60 * SECOND },
  bodies: { tokens: 96, window: 8 * SECOND },
  "snap-status": { tokens: 2, window: 10 * SECOND },
  "snap-blocks": { tokens: 2000, window: 20 * SECOND },
  "snap-chunk": { tokens: 32, window: 8 * SECOND },
};
