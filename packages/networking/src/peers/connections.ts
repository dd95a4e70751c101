import type { Connection, Libp2p } from "@libp2p/interface";
import { reasonOf } from "../host/addresses.js";
import type { Gate } from "../host/gate.js";
import type { NetworkEvent, PeerId } from "../interface.js";
import type { NetworkLogger } from "../logger.js";
import type { Requester } from "../requests/requester.js";
import type { ScoredSubject } from "../scoring/interface.js";
import type { Timings } from "../timings.js";
import type { DialBook } from "./dial-book.js";
import { GOODBYE, type Goodbye, goodbyeOf, QUIET_AFTER } from "./goodbye-reasons.js";
import type { Handshake } from "./handshake.js";
import { Session } from "./session.js";
import type { SessionTable } from "./session-table.js";

export interface ConnectionsParts {
  ownId: PeerId;
  sessions: SessionTable;
  gate: Gate;
  trusted: ReadonlySet<PeerId>;
  handshake: Handshake;
  requester: Requester;
  dialBook: DialBook;
  timings: Timings;
  announce(event: NetworkEvent): void;
  /** Nothing is under way with the peer any more. */
  forget(peer: PeerId): void;
  logger: NetworkLogger;
}

/** Turns connections of libp2p into sessions, one for each peer, and ends them. */
export class Connections {
  private isStopping = false;

  constructor(private readonly parts: ConnectionsParts) {}

  watch(libp2p: Libp2p): void {
    libp2p.addEventListener("connection:open", ({ detail }) => this.opened(detail));
    libp2p.addEventListener("connection:close", ({ detail }) => this.closed(detail));
  }

  /** Says why, then closes; to the rest of the node the peer is gone at once. */
  readonly disconnect = (session: Session, goodbye: Goodbye): void => {
    void this.leave(session, goodbye);
  };

  /** The peer said that it is about to go. */
  heardGoodbye(peer: PeerId, reason: number): void {
    const goodbye = goodbyeOf(reason);
    if (goodbye !== undefined) this.parts.dialBook.forbid(peer, QUIET_AFTER[goodbye]);
    this.parts.logger.debug({ peer, reason: goodbye ?? reason }, "Peer said goodbye");
    const session = this.parts.sessions.get(peer);
    if (session === undefined) return;
    this.end(session);
    void this.close(session, AbortSignal.timeout(this.parts.timings.goodbye));
  }

  /** Closes at once, without a word, those of whom it is true. */
  dropAll(isBad: (subject: Required<ScoredSubject>) => boolean): void {
    for (const session of this.parts.sessions.all()) {
      if (isBad({ peer: session.id, ip: session.address.ip })) this.drop(session);
    }
  }

  /** Closes at once, without a word. */
  readonly drop = (session: Session): void => {
    this.end(session);
    session.connection.abort(new Error("misbehaved"));
  };

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.parts.sessions.all().map((session) => this.leave(session, "shutdown")));
  }

  private opened(connection: Connection): void {
    const id = connection.remotePeer.toString();
    const existing = this.parts.sessions.get(id);
    if (this.isStopping || existing?.connection === connection) return;
    if (existing?.isOpen && !this.replaces(connection, existing)) {
      connection.abort(new Error("duplicate"));
      return;
    }
    if (existing !== undefined) {
      this.forget(existing);
      existing.connection.abort(new Error("duplicate"));
    }
    const session = new Session(connection, this.parts.trusted.has(id), Date.now());
    this.parts.sessions.set(session);
    this.parts.handshake.begin(session);
  }

  private replaces(connection: Connection, existing: Session): boolean {
    if (connection.direction === existing.direction) return false;
    // The same rule as at the gate, from the other side.
    if (connection.direction === "inbound") return this.parts.gate.isReplaced(existing, existing.id);
    return this.parts.ownId < existing.id;
  }

  private closed(connection: Connection): void {
    const session = this.parts.sessions.get(connection.remotePeer.toString());
    if (session?.connection === connection) this.forget(session);
  }

  async leave(session: Session, goodbye: Goodbye): Promise<void> {
    if (session.isClosing) return;
    this.end(session);
    if (goodbye === "requested") this.parts.dialBook.forbid(session.id, QUIET_AFTER[goodbye]);
    this.parts.logger.debug({ peer: session.id, goodbye }, "Closing a connection");
    const signal = AbortSignal.timeout(this.parts.timings.goodbye);
    await this.parts.requester.tell("goodbye", session, GOODBYE[goodbye], signal);
    await this.close(session, signal);
  }

  private async close({ connection }: Session, signal: AbortSignal): Promise<void> {
    try {
      await connection.close({ signal });
    } catch (error) {
      connection.abort(new Error(reasonOf(error)));
    }
  }

  /** Ends what the rest of the node knows of it; the connection may still be open for a moment. */
  private end(session: Session): void {
    if (session.isClosing) return;
    const wasReady = session.isReady;
    session.end();
    // What we asked for is not waited for.
    for (const stream of session.connection.streams) {
      if (stream.direction === "outbound") stream.abort(new Error("disconnected"));
    }
    this.parts.handshake.end(session);
    this.parts.requester.drop(session.id);
    if (wasReady) this.parts.announce({ kind: "peerDisconnected", peer: session });
  }

  private forget(session: Session): void {
    this.end(session);
    this.parts.sessions.delete(session);
    this.parts.forget(session.id);
  }
}
