import type { PeerCapabilities } from "@cambium/networking";

const BOUNDLESS = { tokens: 1e9, window: 10_000 };

/** Capabilities of a peer that answers any number of requests, and serves no snapshots. */
export const UNLIMITED: PeerCapabilities = {
  servesSnapshots: false,
  rates: {
    hashes: BOUNDLESS,
    skeleton: BOUNDLESS,
    headers: BOUNDLESS,
    bodies: BOUNDLESS,
    "snap-status": BOUNDLESS,
    "snap-blocks": BOUNDLESS,
    "snap-chunk": BOUNDLESS,
  },
};
