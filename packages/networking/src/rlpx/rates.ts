import type { RequestRates } from "../interface.js";

const SECOND = 1000;

/**
 * Rates of our requests to a deployed node, which drops messages above 1000 a minute for good (`spec/07 §B.2`). Heights
 * and bodies cost a message each. In any 60 s all of a synchronisation together stay below the 840 requests that the
 * session lets through, so that requests do not wait in its queue.
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
