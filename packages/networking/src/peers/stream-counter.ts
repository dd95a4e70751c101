import type { Stream } from "@libp2p/interface";
import type { PeerId } from "../interface.js";
import type { ScoringEvent } from "../scoring/events.js";
import type { RateLimiter } from "../wire/rate-limiter.js";
import type { Session } from "./session.js";
import type { SessionTable } from "./session-table.js";

export interface StreamCounterParts {
  sessions: SessionTable;
  limiter: RateLimiter<"streams">;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  drop(session: Session): void;
}

/**
 * The streams that a peer may open, whether or not it ever says what for: in the long run as many as it needs to use up
 * its rates of `spec/07 §D.5` asking for one thing at a time, and some for gossip, discovery and what libp2p itself says.
 * On networks of development rates are higher, but nobody opens more streams.
 */
export const OPENED_STREAMS = { streams: { tokens: 1200, window: 2000 } };

/**
 * Counts the streams of peers where they begin: one that ends before its protocol is known reaches nobody else. The
 * muxer's pings count like them, since each is answered, whether or not the answers are read.
 */
export class StreamCounter {
  constructor(private readonly parts: StreamCounterParts) {}

  readonly peerOf = (streams: readonly Stream[]): PeerId | undefined =>
    this.parts.sessions.all().find(({ connection }) => connection.streams === streams)?.id;

  /** A peer opened another one, or sent a ping. */
  readonly count = (peer: PeerId): void => {
    const { sessions, limiter, report, drop } = this.parts;
    if (limiter.take(peer, "streams", 1)) return;
    const session = sessions.get(peer);
    report(peer, "REPEATED_MESSAGE", "too many streams or pings in a short time");
    if (session !== undefined) drop(session);
  };
}
