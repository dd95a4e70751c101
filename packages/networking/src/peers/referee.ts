import type { PeerId } from "../interface.js";
import type { NetworkLogger } from "../logger.js";
import type { ScoringEvent } from "../scoring/events.js";
import type { PeerScoring } from "../scoring/interface.js";
import type { DialBook } from "./dial-book.js";
import { Discipline } from "./discipline.js";
import type { Goodbye } from "./goodbye-reasons.js";
import type { Session } from "./session.js";
import type { SessionTable } from "./session-table.js";

export interface RefereeParts {
  sessions: SessionTable;
  scoring: PeerScoring;
  dialBook: DialBook;
  disconnect(session: Session, goodbye: Goodbye): void;
  logger: NetworkLogger;
}

/** Of another network: nothing that the address is to blame for (`spec/07 §D.6`). */
const NOT_THE_ADDRESS: ReadonlySet<ScoringEvent> = new Set([
  "INVALID_NETWORK",
  "UNEXPECTED_GENESIS",
  "INCOMPATIBLE_PROTOCOL",
]);
const PRAISE: ReadonlySet<ScoringEvent> = new Set(["VALID_BLOCK", "VALID_TRANSACTION", "SUCCESSFUL_HANDSHAKE"]);

/** What peers do is told here: it is scored, and who went too far has to go (`spec/07 §D.9`). */
export class Referee {
  private readonly discipline = new Discipline(Date.now);

  constructor(private readonly parts: RefereeParts) {}

  readonly report = (peer: PeerId, event: ScoringEvent, detail = ""): void => {
    const { sessions, scoring, dialBook, disconnect, logger } = this.parts;
    const session = sessions.get(peer);
    if (!PRAISE.has(event)) logger.debug({ peer, event, detail }, "Peer misbehaved");
    const ip = NOT_THE_ADDRESS.has(event) ? undefined : session?.address.ip;
    scoring.record({ peer, ip }, event);
    const sanction = this.discipline.judge(peer, event);
    if (sanction === undefined) return;
    dialBook.forbid(peer, sanction.noDialFor);
    if (session !== undefined) disconnect(session, sanction.goodbye);
  };
}
