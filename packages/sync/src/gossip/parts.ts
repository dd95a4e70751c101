import type { PeerId, PeerNetwork } from "@cambium/networking";
import type { Logger, Timers } from "@cambium/primitives";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { SyncChain } from "../interface.js";

/** What gossip needs of the synchronisation. */
export interface GossipEngine {
  /** Whether a much better chain is being downloaded: gossip is ignored meanwhile (`spec/07 §B.5`). */
  isFarBehind(): boolean;
  /** A peer sent a block that lacks an ancestor, which has this hash and height. */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void;
}

export interface GossipParts {
  chain: SyncChain;
  pool: TransactionPoolApi;
  network: PeerNetwork;
  engine: GossipEngine;
  /** Local time in seconds, with fractions. */
  now: () => number;
  /** Seconds; only differences are meaningful, which do not depend on the system's clock being set. */
  elapsed?: () => number;
  logger: Logger;
  timers?: Timers;
}
