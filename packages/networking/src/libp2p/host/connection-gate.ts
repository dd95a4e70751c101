import { isPublicIp } from "@cambium/primitives";
import { type PendingHandshake, PendingHandshakes } from "@cambium/rlpx";
import type { ConnectionGater, PeerId as Libp2pPeerId, MultiaddrConnection } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { PeerId } from "../../interface.js";
import type { PeerLimits } from "../../options.js";
import { type CountedConnection, isCrowded, isFull } from "../../peers/connection-limits.js";
import type { PeerScoring } from "../../scoring/interface.js";
import { peerOf, placeOf } from "../addresses.js";

/** Dependencies of the gate's decisions. */
export interface ConnectionGateParts {
  ownId: PeerId;
  limits: PeerLimits;
  trusted: ReadonlySet<PeerId>;
  scoring: PeerScoring;
  /** Whether private addresses may be dialled and stored. */
  allowsPrivate: boolean;
  /** The existing connection of a peer; undefined if there is none. */
  connected(id: PeerId): { direction: "inbound" | "outbound" } | undefined;
  connections(): Iterable<{ id: PeerId; direction: "inbound" | "outbound"; ip: string }>;
  /** Whether the peer must not be dialled for a while. */
  isForbidden(id: PeerId): boolean;
  /** A node at this address has this node's key: the library ends the connection. */
  onOwnKey(address: string): void;
  /** An inbound connection ended before encryption and muxer were negotiated. */
  onFailedUpgrade(ip: string): void;
}

/** Error of the library for a connection of this node with itself. */
const OWN_ID = "InvalidPeerIdError";

/**
 * Maximum number of inbound connections that are upgraded at a time (`spec/07 §D.5`). The connection limits bound those
 * of a host.
 */
export const PENDING_INBOUND = 32;

/** An inbound connection that is being upgraded. */
interface Incoming {
  ip: string;
  handshake: PendingHandshake;
  /** Whether the connection was accepted above the limits because it may be a trusted peer. */
  isOverLimit: boolean;
}

/** Decides which peers may connect and which may be dialled, by scores, bans and limits (`spec/07 §D.9`). */
export class ConnectionGate implements ConnectionGater {
  private readonly incoming = new Map<MultiaddrConnection, Incoming>();
  private readonly pending = new PendingHandshakes({ maximum: PENDING_INBOUND, perHost: PENDING_INBOUND });

  constructor(private readonly parts: ConnectionGateParts) {}

  readonly denyDialPeer = (peer: Libp2pPeerId): boolean => {
    const id = peer.toString();
    const { scoring, isForbidden, limits } = this.parts;
    if (!scoring.isGoodPeer(id) || isForbidden(id)) return true;
    return !this.isTrusted(id) && this.counted().length >= limits.maximum;
  };

  readonly denyDialMultiaddr = (address: Multiaddr): boolean => {
    const id = peerOf(address);
    if (id !== undefined && !this.parts.scoring.isGoodPeer(id)) return true;
    const place = placeOf(address);
    if (place === undefined) return false;
    if (this.isBadAddress(place.ip)) return true;
    if (id !== undefined && this.isTrusted(id)) return false;
    return isCrowded(this.counted(), { ip: place.ip, direction: "outbound" }, this.parts.limits);
  };

  /** Applies the limits before the handshake, the most expensive part of a connection flood. */
  readonly denyInboundConnection = (connection: MultiaddrConnection): boolean => {
    const ip = placeOf(connection.remoteAddr)?.ip;
    if (ip === undefined || this.isBadAddress(ip)) return true;
    const { limits } = this.parts;
    const connections = this.counted();
    const isOverLimit =
      isCrowded(connections, { ip, direction: "inbound" }, limits) ||
      (isFull(connections, limits) && !this.pending.makeRoomFor(ip));
    if (isOverLimit && !this.isTrustedMissing()) return true;
    this.track(connection, ip, isOverLimit);
    return false;
  };

  readonly denyInboundEncryptedConnection = (peer: Libp2pPeerId, connection: MultiaddrConnection): boolean =>
    this.deniesInbound(peer.toString(), connection);

  /** Checks again: another connection of the same peer may have been upgraded in the meantime. */
  readonly denyInboundUpgradedConnection = (peer: Libp2pPeerId, connection: MultiaddrConnection): boolean => {
    const isDenied = this.deniesInbound(peer.toString(), connection);
    this.forget(connection);
    return isDenied;
  };

  /** Whether an address may be stored: only if it may be dialled. */
  readonly filterMultiaddrForPeer = (peer: Libp2pPeerId, address: Multiaddr): boolean => {
    const place = placeOf(address);
    if (peer.toString() === this.parts.ownId || place === undefined) return true;
    return !this.isBadAddress(place.ip) && (this.parts.allowsPrivate || isPublicIp(place.ip));
  };

  /**
   * Whether a new connection replaces the existing one. The connection opened by the smaller id stays, so that two
   * peers that dial each other simultaneously decide alike.
   */
  isReplaced(existing: { direction: "inbound" | "outbound" }, id: PeerId): boolean {
    return existing.direction === "outbound" && id < this.parts.ownId;
  }

  private deniesInbound(id: PeerId, connection: MultiaddrConnection): boolean {
    const incoming = this.incoming.get(connection);
    const existing = this.parts.connected(id);
    const isDenied =
      !this.parts.scoring.isGoodPeer(id) ||
      (existing !== undefined && !this.isReplaced(existing, id)) ||
      (incoming?.isOverLimit === true && !this.isTrusted(id));
    // A connection that we refuse is not a failed upgrade by the peer.
    if (isDenied) this.forget(connection);
    return isDenied;
  }

  private track(connection: MultiaddrConnection, ip: string, isOverLimit: boolean): void {
    const handshake = this.pending.add(ip, () => {
      this.incoming.delete(connection);
      connection.abort(new Error("another connection took the place of this one"));
    });
    this.incoming.set(connection, { ip, handshake, isOverLimit });
    connection.addEventListener("close", ({ error }) => {
      if (!this.forget(connection)) return;
      if (error?.name === OWN_ID) this.parts.onOwnKey(ip);
      else this.parts.onFailedUpgrade(ip);
    });
  }

  /** Forgets a connection. Returns whether it was being upgraded. */
  private forget(connection: MultiaddrConnection): boolean {
    const incoming = this.incoming.get(connection);
    if (incoming !== undefined) this.pending.remove(incoming.handshake);
    return this.incoming.delete(connection);
  }

  private isBadAddress(ip: string): boolean {
    return this.parts.scoring.isBannedAddress(ip) || !this.parts.scoring.isGoodAddress(ip);
  }

  private isTrusted(id: PeerId): boolean {
    return this.parts.trusted.has(id);
  }

  private isTrustedMissing(): boolean {
    for (const id of this.parts.trusted) if (this.parts.connected(id) === undefined) return true;
    return false;
  }

  /** Returns connections and inbound ones being upgraded, without those of trusted peers. */
  private counted(): CountedConnection[] {
    const connections = [...this.parts.connections()].filter(({ id }) => !this.isTrusted(id));
    const incoming = Array.from(this.incoming.values(), ({ ip }) => ({ direction: "inbound" as const, ip }));
    return [...connections, ...incoming];
  }
}
