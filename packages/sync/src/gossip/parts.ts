import type { PeerId, PeerNetwork } from "@cambium/networking";
import type { Logger, Timers } from "@cambium/primitives";
import type { TransactionPoolApi } from "@cambium/txpool";
import type { SyncChain } from "../interface.js";

/** Functions of the synchronisation that gossip uses. */
export interface GossipEngine {
  /** Whether a much better chain is being downloaded. Gossip is then ignored (`spec/07 §B.5`). */
  isFarBehind(): boolean;
  /** Requests a block with this hash and height, which a block from a peer lacks as an ancestor. */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void;
}

export interface GossipParts {
  chain: SyncChain;
  pool: TransactionPoolApi;
  network: PeerNetwork;
  engine: GossipEngine;
  /** Returns the local time in seconds, with fractions. */
  now: () => number;
  /** Returns seconds for measuring durations, independent of changes of the system's clock. */
  elapsed?: () => number;
  logger: Logger;
  timers?: Timers;
}
