import { type Logger, LruCache, steadyTime, TokenBucket } from "@cambium/primitives";
import type { Peer, PeerId } from "../interface.js";
import type { ScoringEvent } from "../scoring/events.js";
import type { PeerScoring } from "../scoring/interface.js";
import type { DialSchedule } from "./dial-schedule.js";
import type { Goodbye } from "./goodbye-reasons.js";
import { Sanctions } from "./sanctions.js";

export interface PeerReportsParts<Session extends Pick<Peer, "address">> {
  sessions: { get(peer: PeerId): Session | undefined };
  scoring: PeerScoring;
  dialSchedule: DialSchedule;
  disconnect(session: Session, goodbye: Goodbye): void;
  logger: Logger;
}

/** Events of peers of another network, for which their address is not scored (`spec/07 §D.6`). */
const NOT_OF_ADDRESS: ReadonlySet<ScoringEvent> = new Set([
  "INVALID_NETWORK",
  "UNEXPECTED_GENESIS",
  "INCOMPATIBLE_PROTOCOL",
]);
const GOOD_EVENTS: ReadonlySet<ScoringEvent> = new Set(["VALID_BLOCK", "VALID_TRANSACTION", "SUCCESSFUL_HANDSHAKE"]);

/** Maximum number of peers whose first unreadable message in an hour is logged, and of such lines in a minute. */
const MAX_LOGGED_PEERS = 1024;
const LOGGED_AGAIN_AFTER = 3_600_000;
const LINES = { tokens: 20, window: 60_000 };

/** Receives reports on the behaviour of peers: scores them and applies sanctions (`spec/07 §D.9`). */
export class PeerReports<Session extends Pick<Peer, "address">> {
  private readonly sanctions = new Sanctions(steadyTime);
  private readonly loggedAt = new LruCache<PeerId, number>(MAX_LOGGED_PEERS);
  private readonly lines = new TokenBucket(LINES);

  constructor(private readonly parts: PeerReportsParts<Session>) {}

  readonly report = (peer: PeerId, event: ScoringEvent, detail = ""): void => {
    const { sessions, scoring, dialSchedule, disconnect, logger } = this.parts;
    const session = sessions.get(peer);
    if (!GOOD_EVENTS.has(event)) logger.debug({ peer, event, detail }, "Peer misbehaved");
    if (event === "UNREADABLE_MESSAGE") this.logUnreadable(peer, session, detail);
    const ip = NOT_OF_ADDRESS.has(event) ? undefined : session?.address.ip;
    scoring.record({ peer, ip }, event);
    const sanction = this.sanctions.record(peer, event);
    if (sanction === undefined) return;
    dialSchedule.forbid(peer, sanction.noDialFor);
    if (session !== undefined) disconnect(session, sanction.goodbye);
  };

  /** Logs for operators that this node cannot read a message: either side may need a correction. */
  private logUnreadable(peer: PeerId, session: Session | undefined, detail: string): void {
    const now = Math.floor(steadyTime());
    const before = this.loggedAt.get(peer);
    if (before !== undefined && now - before < LOGGED_AGAIN_AFTER) return;
    if (!this.lines.take(1, now)) return;
    this.loggedAt.set(peer, now);
    const { ip, port } = session?.address ?? {};
    this.parts.logger.info({ peer, ip, port, reason: detail }, "Disconnected a peer: its message cannot be read");
  }
}
