import type { Stream } from "@libp2p/interface";
import type { PeerId } from "../../interface.js";
import type { PeerRateLimiter } from "../../peers/peer-rate-limiter.js";
import type { ScoringEvent } from "../../scoring/events.js";
import type { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";

export interface FrameCounterParts {
  sessions: SessionTable;
  limiter: PeerRateLimiter<"streams">;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  drop(session: Session): void;
}

/**
 * Number of streams that a peer may open, whether or not it negotiates a protocol. The average suffices to use up its
 * rates of `spec/07 §D.5` with requests for single items, with some room for gossip, discovery and libp2p itself.
 * Development networks have higher rates, but no peer opens more streams.
 */
export const OPENED_STREAMS = { streams: { tokens: 1600, window: 2000 } };

/**
 * Limits streams and pings of peers at the muxer: no other layer sees a stream that ends before its protocol is
 * negotiated. Pings count like streams, since each is answered, whether or not the peer reads the answer.
 */
export class FrameCounter {
  constructor(private readonly parts: FrameCounterParts) {}

  readonly peerOf = (streams: readonly Stream[]): PeerId | undefined =>
    this.parts.sessions.all().find(({ connection }) => connection.streams === streams)?.id;

  /** Counts a stream that a peer opened, or a ping that it sent. */
  readonly count = (peer: PeerId): void => {
    const { sessions, limiter, report, drop } = this.parts;
    if (limiter.take(peer, "streams", 1)) return;
    const session = sessions.get(peer);
    report(peer, "REPEATED_MESSAGE", "too many streams or pings");
    if (session !== undefined) drop(session);
  };
}
