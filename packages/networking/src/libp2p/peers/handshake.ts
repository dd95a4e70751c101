import { equalBytes, type Logger, steadyTime } from "@cambium/primitives";
import { NetworkingError } from "../../errors.js";
import type { NetworkEvent, PeerId } from "../../interface.js";
import type { ScoringEvent } from "../../scoring/events.js";
import type { Timings } from "../../shared/timings.js";
import type { Requester } from "../requests/requester.js";
import type { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";
import type { AnswerItem } from "../wire/protocol.js";
import type { Status } from "../wire/status.js";

export interface HandshakeParts {
  sessions: SessionTable;
  requester: Requester;
  timings: Timings;
  ownStatus(): Status;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  /** Called when the Status of a peer is compatible, and whenever it changes afterwards. */
  announce(event: NetworkEvent): void;
  logger: Logger;
}

/** Change of our best height after which peers get a new Status (`spec/07 §D.6`). */
const STATUS_BLOCKS = 64;
/** Requests for Status in a row after which a silent connection counts as lost. */
const ATTEMPTS = 2;

/**
 * The exchange of Status. The dialling side asks first, and no other message is exchanged before both are compatible
 * (`spec/07 §D.6`). Repetitions also find connections that were lost silently, which TCP notices only after minutes.
 * Separate pings would double the work of an idle node.
 */
export class Handshake {
  private readonly timers = new Map<Session, NodeJS.Timeout[]>();

  constructor(private readonly parts: HandshakeParts) {}

  begin(session: Session): void {
    const { timings } = this.parts;
    const timers = [setTimeout(() => this.giveUp(session), timings.handshake)];
    if (session.direction === "outbound") void this.ask(session);
    else timers.push(setTimeout(() => void this.ask(session), timings.askStatus));
    this.timers.set(session, timers);
  }

  end(session: Session): void {
    for (const timer of this.timers.get(session) ?? []) clearTimeout(timer);
    this.timers.delete(session);
  }

  /** Answers a request for Status, which carries that of the peer. A peer of another network gets an answer too. */
  *answer(status: Status, peer: PeerId): Iterable<AnswerItem<Status>> {
    const session = this.parts.sessions.get(peer);
    const own = this.own(session);
    if (session !== undefined) this.check(session, status, own);
    yield { kind: "data", item: own };
  }

  /** Sends a new Status to peers whose last one is a minute old or many blocks behind. */
  refresh(): void {
    const now = steadyTime();
    const { bestNumber } = this.parts.ownStatus();
    for (const session of this.parts.sessions.ready()) {
      const { at, bestNumber: sent } = session.sentStatus!;
      const isOutdated = Math.abs(bestNumber - sent) >= STATUS_BLOCKS;
      if (isOutdated || now - at >= this.parts.timings.statusAge) void this.ask(session);
    }
  }

  private async ask(session: Session, attempt = 1): Promise<void> {
    const own = this.own(session);
    try {
      for await (const answer of this.parts.requester.ask("status", session, own)) {
        if (answer.kind === "data") this.check(session, answer.item, own);
      }
    } catch (error) {
      if (error instanceof NetworkingError) this.failed(session, error, attempt);
      else this.parts.logger.error({ err: error, peer: session.id }, "Failed to exchange Status");
    }
  }

  private own(session: Session | undefined): Status {
    const own = this.parts.ownStatus();
    if (session !== undefined) session.sentStatus = { bestNumber: own.bestNumber, at: steadyTime() };
    return own;
  }

  private failed(session: Session, error: NetworkingError, attempt: number): void {
    const { logger, report } = this.parts;
    logger.debug({ peer: session.id, code: error.code }, "Peer sent no Status");
    if (session.isClosing) return;
    if (session.isReady) {
      if (error.code !== "REQUEST_TIMEOUT") return;
      if (attempt < ATTEMPTS) void this.ask(session, attempt + 1);
      else session.connection.abort(error);
      return;
    }
    // Protocol ids contain the genesis block, so a peer that does not support ours belongs to another network.
    if (error.code === "NOT_AVAILABLE")
      report(session.id, "INCOMPATIBLE_PROTOCOL", "it does not support the status protocol");
    else if (error.code !== "DISCONNECTED") report(session.id, "FAILED_HANDSHAKE", error.message);
  }

  private giveUp(session: Session): void {
    if (!session.isReady && session.isOpen)
      this.parts.report(session.id, "FAILED_HANDSHAKE", "it sent no status in time");
  }

  /** Checks that a decoded Status is of the same chain; no other check is needed. */
  private check(session: Session, status: Status, own: Status): void {
    if (session.isClosing) return;
    if (status.chainId !== own.chainId) {
      this.parts.report(session.id, "INVALID_NETWORK", `chain id ${status.chainId}`);
    } else if (!equalBytes(status.genesisHash, own.genesisHash)) {
      this.parts.report(session.id, "UNEXPECTED_GENESIS", "genesis block of another network");
    } else {
      this.accept(session, status);
    }
  }

  private accept(session: Session, status: Status): void {
    const isFirst = !session.isReady;
    session.accept(status);
    if (isFirst) {
      this.end(session);
      this.parts.report(session.id, "SUCCESSFUL_HANDSHAKE", status.clientId);
    }
    // The report may have caused a disconnection.
    if (session.isReady) this.parts.announce({ kind: isFirst ? "peerConnected" : "peerStatus", peer: session });
  }
}
