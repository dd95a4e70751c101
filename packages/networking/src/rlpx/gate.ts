import type { Peer, PeerId } from "../interface.js";
import type { PeerLimits } from "../options.js";
import { type CountedConnection, isCrowded, isFull } from "../peers/connection-limits.js";
import type { PeerScoring } from "../scoring/interface.js";
import type { RlpxPeer } from "./peer.js";
import type { RlpxPeerTable } from "./peer-table.js";

export interface RlpxGateParts {
  ownId: PeerId;
  peers: RlpxPeerTable;
  limits: PeerLimits;
  trusted: ReadonlySet<PeerId>;
  scoring: PeerScoring;
  isConnectedElsewhere(peer: PeerId): boolean;
  /** Whether the peer must not be dialled for a while. */
  isForbidden(peer: PeerId): boolean;
  /** Returns the current time, in milliseconds of the clock of {@link RlpxPeer.since}. */
  now(): number;
}

/** Maximum time for opening a connection, in milliseconds. Within it two nodes may dial each other. */
const OPENING = 10_000;

/** Reasons of a Disconnect with which a connection is refused after the handshake. */
export type ConnectionRefusal = "localIdentity" | "duplicatePeer" | "tooManyPeers" | "uselessPeer";

/** Decides which nodes may connect and which may be dialled, by scores, bans and limits (`spec/07 §D.9`). */
export class RlpxGate {
  constructor(private readonly parts: RlpxGateParts) {}

  /** Applies the limits before the handshake, the most expensive part of a connection flood. */
  mayAccept(ip: string): boolean {
    if (!this.parts.scoring.isGoodAddress(ip)) return false;
    return this.hasRoom({ ip, direction: "inbound" }) || this.isTrustedMissing();
  }

  mayDial(id: PeerId, ip: string): boolean {
    const { ownId, scoring, isForbidden, trusted } = this.parts;
    if (
      id === ownId ||
      !scoring.isGoodPeer(id) ||
      !scoring.isGoodAddress(ip) ||
      isForbidden(id) ||
      this.isConnected(id)
    )
      return false;
    return trusted.has(id) || this.hasRoom({ ip, direction: "outbound" });
  }

  /** Checks again once the node is known. Returns undefined if it may stay. */
  refusal(id: PeerId, connection: CountedConnection): ConnectionRefusal | undefined {
    const { ownId, scoring, trusted } = this.parts;
    if (id === ownId) return "localIdentity";
    if (!scoring.isGoodPeer(id) || !scoring.isGoodAddress(connection.ip)) return "uselessPeer";
    if (this.isReplaced(id, connection.direction)) return undefined;
    if (this.isConnected(id)) return "duplicatePeer";
    return trusted.has(id) || this.hasRoom(connection) ? undefined : "tooManyPeers";
  }

  /**
   * Whether a new connection replaces the existing one with the peer. If both sides open one at the same time, the
   * connection opened by the smaller id stays, so that both sides decide alike.
   */
  private isReplaced(id: PeerId, direction: Peer["direction"]): boolean {
    const { peers, ownId, now } = this.parts;
    const existing = peers.get(id);
    if (existing === undefined || existing.direction === direction || now() - existing.since > OPENING) return false;
    return direction === "outbound" ? ownId < id : id < ownId;
  }

  private isConnected(id: PeerId): boolean {
    return this.parts.peers.get(id) !== undefined || this.parts.isConnectedElsewhere(id);
  }

  private hasRoom(connection: CountedConnection): boolean {
    const { limits } = this.parts;
    const connections = this.counted();
    if (isCrowded(connections, connection, limits)) return false;
    return connection.direction === "inbound" ? !isFull(connections, limits) : connections.length < limits.maximum;
  }

  private isTrustedMissing(): boolean {
    return [...this.parts.trusted].some((id) => !this.isConnected(id));
  }

  private counted(): CountedConnection[] {
    const peers = this.parts.peers.all().filter(({ isTrusted }) => !isTrusted);
    return peers.map(({ direction, address }) => ({ direction, ip: address.ip }));
  }
}
