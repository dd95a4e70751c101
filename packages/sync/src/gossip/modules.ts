import type { PeerId, PeerNetwork } from "@cambium/networking";
import type { Logger, Timers } from "@cambium/primitives";
import type { TransactionPoolFace } from "@cambium/txpool";
import type { TrackedChain } from "./peer-imports.js";

/** What gossip asks of the synchronisation. */
export interface GossipEngine {
  /** Whether a much better chain is being fetched: gossip of the tip is of no use until then (`spec/07 §B.5`). */
  isFarBehind(): boolean;
  /** A peer has shown a block whose ancestor nobody here has: that ancestor's hash and height. */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void;
}

export interface GossipModules {
  /** The one that synchronisation imports through; see `trackImports`. */
  chain: TrackedChain;
  pool: TransactionPoolFace;
  network: PeerNetwork;
  engine: GossipEngine;
  /** Local time in seconds, with fractions. */
  now: () => number;
  logger: Logger;
  timers?: Timers;
}
