import { type Logger, messageOf, steadyTime } from "@cambium/primitives";
import type { Connection, Libp2p } from "@libp2p/interface";
import type { NetworkEvent, PeerId, RequestRates } from "../../interface.js";
import type { DialSchedule } from "../../peers/dial-schedule.js";
import {
  CONNECTION_LOST,
  GOODBYE,
  type Goodbye,
  goodbyeOf,
  goodbyeText,
  REDIAL_DELAYS,
} from "../../peers/goodbye-reasons.js";
import type { ScoredSubject } from "../../scoring/interface.js";
import type { Timings } from "../../shared/timings.js";
import type { ConnectionGate } from "../host/connection-gate.js";
import type { Requester } from "../requests/requester.js";
import { Session } from "../sessions/session.js";
import type { SessionTable } from "../sessions/session-table.js";
import type { Handshake } from "./handshake.js";

export interface ConnectionsParts {
  ownId: PeerId;
  sessions: SessionTable;
  gate: ConnectionGate;
  trusted: ReadonlySet<PeerId>;
  /** Limits on our requests to a peer. */
  rates: RequestRates;
  handshake: Handshake;
  requester: Requester;
  dialSchedule: DialSchedule;
  timings: Timings;
  announce(event: NetworkEvent): void;
  /** Releases what is stored for a peer that is no longer connected. */
  forget(peer: PeerId): void;
  logger: Logger;
}

/** Turns libp2p connections into sessions, one for each peer, and ends them. */
export class Connections {
  private isStopping = false;

  constructor(private readonly parts: ConnectionsParts) {}

  watch(libp2p: Libp2p): void {
    libp2p.addEventListener("connection:open", ({ detail }) => this.opened(detail));
    libp2p.addEventListener("connection:close", ({ detail }) => this.closed(detail));
  }

  /** Sends the reason, then closes. The rest of the node sees the peer as disconnected immediately. */
  readonly disconnect = (session: Session, goodbye: Goodbye): void => {
    void this.disconnectGracefully(session, goodbye);
  };

  /** Handles a peer's announcement that it disconnects. */
  receivedGoodbye(peer: PeerId, reason: number): void {
    const goodbye = goodbyeOf(reason);
    if (goodbye !== undefined) this.parts.dialSchedule.forbid(peer, REDIAL_DELAYS[goodbye]);
    this.parts.logger.debug({ peer, reason: goodbye ?? reason }, "Received goodbye");
    const session = this.parts.sessions.get(peer);
    if (session === undefined) return;
    this.end(session, goodbyeText("peer", goodbye));
    void this.close(session, AbortSignal.timeout(this.parts.timings.goodbye));
  }

  /** Closes the connections of bad peers immediately, without goodbye. */
  dropAll(isBad: (subject: Required<ScoredSubject>) => boolean): void {
    for (const session of this.parts.sessions.all()) {
      if (isBad({ peer: session.id, ip: session.address.ip })) this.drop(session);
    }
  }

  /** Closes immediately, without goodbye. */
  readonly drop = (session: Session): void => {
    this.end(session, goodbyeText("own", "misbehaved"));
    session.connection.abort(new Error("misbehaved"));
  };

  async stop(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.parts.sessions.all().map((session) => this.disconnectGracefully(session, "shutdown")));
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
      this.forget(existing, goodbyeText("own", "duplicate"));
      existing.connection.abort(new Error("duplicate"));
    }
    const session = new Session(connection, this.parts.trusted.has(id), steadyTime(), this.parts.rates);
    this.parts.sessions.set(session);
    this.parts.handshake.begin(session);
  }

  private replaces(connection: Connection, existing: Session): boolean {
    if (connection.direction === existing.direction) return false;
    // The gate's rule, with the directions exchanged.
    if (connection.direction === "inbound") return this.parts.gate.isReplaced(existing, existing.id);
    return this.parts.ownId < existing.id;
  }

  private closed(connection: Connection): void {
    const session = this.parts.sessions.get(connection.remotePeer.toString());
    if (session?.connection === connection) this.forget(session, CONNECTION_LOST);
  }

  async disconnectGracefully(session: Session, goodbye: Goodbye): Promise<void> {
    if (session.isClosing) return;
    this.end(session, goodbyeText("own", goodbye));
    if (goodbye === "requested") this.parts.dialSchedule.forbid(session.id, REDIAL_DELAYS[goodbye]);
    this.parts.logger.debug({ peer: session.id, goodbye }, "Disconnecting");
    const signal = AbortSignal.timeout(this.parts.timings.goodbye);
    await this.parts.requester.send("goodbye", session, GOODBYE[goodbye], signal);
    await this.close(session, signal);
  }

  private async close({ connection }: Session, signal: AbortSignal): Promise<void> {
    try {
      await connection.close({ signal });
    } catch (error) {
      connection.abort(new Error(messageOf(error)));
    }
  }

  /** Ends the session; its connection may stay open for a moment. */
  private end(session: Session, reason: string): void {
    if (session.isClosing) return;
    const wasReady = session.isReady;
    session.end();
    // Our pending requests fail immediately.
    for (const stream of session.connection.streams) {
      if (stream.direction === "outbound") stream.abort(new Error("disconnected"));
    }
    this.parts.handshake.end(session);
    this.parts.requester.drop(session.id);
    if (wasReady) this.parts.announce({ kind: "peerDisconnected", peer: session, reason });
  }

  private forget(session: Session, reason: string): void {
    this.end(session, reason);
    this.parts.sessions.delete(session);
    this.parts.forget(session.id);
  }
}
