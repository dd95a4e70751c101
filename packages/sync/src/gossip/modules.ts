import type { PeerId, PeerNetwork } from "@cambium/networking";
import type { TransactionPoolFace } from "@cambium/txpool";
import type { TrackedChain } from "./peer-imports.js";

/** What gossip asks of the synchronisation. */
export interface GossipEngine {
  /** Whether a much better chain is being fetched: gossip of the tip is of no use until then (`spec/07 §B.5`). */
  isFarBehind(): boolean;
  /** A peer has shown a block whose ancestor nobody here has: that ancestor's hash and height. */
  blockWanted(peer: PeerId, hash: Uint8Array, number: number): void;
}

/** The part of a logger that is used; pino's is one. */
export interface GossipLogger {
  debug(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** A source of callbacks that can be replaced in tests. */
export interface Timers {
  /** Returns how to cancel. */
  after(milliseconds: number, action: () => void): () => void;
}

export interface GossipModules {
  /** The one that synchronisation imports through; see `trackImports`. */
  chain: TrackedChain;
  pool: TransactionPoolFace;
  network: PeerNetwork;
  engine: GossipEngine;
  /** Local time in seconds, with fractions. */
  now: () => number;
  logger: GossipLogger;
  timers?: Timers;
}

/** The platform's timers, which keep no process alive. */
export const platformTimers: Timers = {
  after(milliseconds, action) {
    const timer = setTimeout(action, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
