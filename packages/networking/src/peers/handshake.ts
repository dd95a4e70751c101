import { equalBytes } from "@cambium/primitives";
import { NetworkingError } from "../errors.js";
import type { NetworkEvent, PeerId, PeerStatus } from "../interface.js";
import type { NetworkLogger } from "../logger.js";
import type { Requester } from "../requests/requester.js";
import type { ScoringEvent } from "../scoring/events.js";
import type { Timings } from "../timings.js";
import type { AnswerItem } from "../wire/protocol.js";
import type { Session } from "./session.js";
import type { SessionTable } from "./session-table.js";

export interface HandshakeParts {
  sessions: SessionTable;
  requester: Requester;
  timings: Timings;
  ownStatus(): PeerStatus;
  report(peer: PeerId, event: ScoringEvent, detail: string): void;
  /** Told of a peer when it and we agree, and of its news after that. */
  announce(event: NetworkEvent): void;
  logger: NetworkLogger;
}

/** Blocks that our best may move before peers are told (`spec/07 §D.6`). */
const BLOCKS_WORTH_TELLING = 64;

/** The exchange of Status: who connected asks first, and until it agrees nobody says anything else (`spec/07 §D.6`). */
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

  /** The peer asked for Status and told its own. Who is of another network hears so by our Status as well. */
  *answer(status: PeerStatus, peer: PeerId): Iterable<AnswerItem<PeerStatus>> {
    const session = this.parts.sessions.get(peer);
    const own = this.own(session);
    if (session !== undefined) this.judge(session, status, own);
    yield { kind: "data", item: own };
  }

  /** Tells who has not heard from us for a minute, or not of many blocks. */
  refresh(): void {
    const now = Date.now();
    const { bestNumber } = this.parts.ownStatus();
    for (const session of this.parts.sessions.ready()) {
      const { at, bestNumber: told } = session.told!;
      const isWorthTelling = Math.abs(bestNumber - told) >= BLOCKS_WORTH_TELLING;
      if (isWorthTelling || now - at >= this.parts.timings.statusAge) void this.ask(session);
    }
  }

  private async ask(session: Session): Promise<void> {
    const own = this.own(session);
    try {
      for await (const answer of this.parts.requester.ask("status", session, own)) {
        if (answer.kind === "data") this.judge(session, answer.item, own);
      }
    } catch (error) {
      if (error instanceof NetworkingError) this.failed(session, error);
      else this.parts.logger.error({ err: error, peer: session.id }, "Status could not be exchanged");
    }
  }

  private own(session: Session | undefined): PeerStatus {
    const own = this.parts.ownStatus();
    if (session !== undefined) session.told = { bestNumber: own.bestNumber, at: Date.now() };
    return own;
  }

  private failed(session: Session, error: NetworkingError): void {
    const { logger, report } = this.parts;
    logger.debug({ peer: session.id, code: error.code }, "No status");
    if (session.isReady || session.isClosing) return;
    // Who does not know our protocols is of another network: its genesis block is part of their names.
    if (error.code === "NOT_AVAILABLE") report(session.id, "INCOMPATIBLE_PROTOCOL", "no status protocol");
    else if (error.code !== "DISCONNECTED") report(session.id, "FAILED_HANDSHAKE", error.message);
  }

  private giveUp(session: Session): void {
    if (!session.isReady && session.isOpen) this.parts.report(session.id, "FAILED_HANDSHAKE", "no status in time");
  }

  /** What cannot be decoded never gets here; the rest of the checks is whether both mean the same chain. */
  private judge(session: Session, status: PeerStatus, own: PeerStatus): void {
    if (session.isClosing) return;
    if (status.chainId !== own.chainId) {
      this.parts.report(session.id, "INVALID_NETWORK", `chain id ${status.chainId}`);
    } else if (!equalBytes(status.genesisHash, own.genesisHash)) {
      this.parts.report(session.id, "UNEXPECTED_GENESIS", "another genesis block");
    } else {
      this.accept(session, status);
    }
  }

  private accept(session: Session, status: PeerStatus): void {
    const isFirst = !session.isReady;
    session.accept(status);
    if (isFirst) {
      this.end(session);
      this.parts.report(session.id, "SUCCESSFUL_HANDSHAKE", status.clientId);
    }
    // A punishment that began a moment ago may have closed it.
    if (session.isReady) this.parts.announce({ kind: isFirst ? "peerConnected" : "peerStatus", peer: session });
  }
}
