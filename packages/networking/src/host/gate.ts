import type { ConnectionGater, PeerId as Libp2pPeerId, MultiaddrConnection } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { PeerId } from "../interface.js";
import type { PeerLimits } from "../options.js";
import type { PeerScoring } from "../scoring/interface.js";
import { hostOf, isPublic, peerOf, placeOf, subnetOf } from "./addresses.js";

/** What the gate asks about those who are connected already. */
export interface GateParts {
  ownId: PeerId;
  limits: PeerLimits;
  trusted: ReadonlySet<PeerId>;
  scoring: PeerScoring;
  /** Whether addresses that cannot be reached from everywhere may be called and kept. */
  allowsPrivate: boolean;
  /** Connection that is there already, if any. */
  connected(id: PeerId): { direction: "inbound" | "outbound" } | undefined;
  connections(): Iterable<{ id: PeerId; direction: "inbound" | "outbound"; ip: string }>;
  /** Whether the peer must not be called for a while. */
  isForbidden(id: PeerId): boolean;
  /** An inbound connection that ended before it had keys and a muxer. */
  onFailedUpgrade(ip: string): void;
}

/** A connection whose handshake is under way. */
interface Incoming {
  ip: string;
  /** Let in for now only because it might be a trusted peer. */
  isOverLimit: boolean;
}

/** Decides who may connect and be called: the one place where scores, bans and limits meet (`spec/07 §D.9`). */
export class Gate implements ConnectionGater {
  private readonly incoming = new Map<MultiaddrConnection, Incoming>();

  constructor(private readonly parts: GateParts) {}

  readonly denyDialPeer = (peer: Libp2pPeerId): boolean => {
    const id = peer.toString();
    const { scoring, isForbidden, limits } = this.parts;
    if (!scoring.isGoodPeer(id) || isForbidden(id)) return true;
    return !this.isTrusted(id) && this.count(() => true) >= limits.maximum;
  };

  readonly denyDialMultiaddr = (address: Multiaddr): boolean => {
    const id = peerOf(address);
    if (id !== undefined && !this.parts.scoring.isGoodPeer(id)) return true;
    const place = placeOf(address);
    if (place === undefined) return false;
    if (this.isBadAddress(place.ip)) return true;
    return !(id !== undefined && this.isTrusted(id)) && this.isCrowded(place.ip, "outbound");
  };

  /** Limits come before the handshake, since that is what a flood would cost most with. */
  readonly denyInboundConnection = (connection: MultiaddrConnection): boolean => {
    const ip = placeOf(connection.remoteAddr)?.ip;
    if (ip === undefined || this.isBadAddress(ip)) return true;
    const isOverLimit = this.isFull() || this.isCrowded(ip, "inbound");
    if (isOverLimit && !this.isTrustedMissing()) return true;
    this.track(connection, { ip, isOverLimit });
    return false;
  };

  readonly denyInboundEncryptedConnection = (peer: Libp2pPeerId, connection: MultiaddrConnection): boolean =>
    this.deniesInbound(peer.toString(), connection);

  /** Asked once more, because another connection of the same peer may have been quicker. */
  readonly denyInboundUpgradedConnection = (peer: Libp2pPeerId, connection: MultiaddrConnection): boolean => {
    const isDenied = this.deniesInbound(peer.toString(), connection);
    this.incoming.delete(connection);
    return isDenied;
  };

  /** Whether an address is remembered: those that we would call are. */
  readonly filterMultiaddrForPeer = (peer: Libp2pPeerId, address: Multiaddr): boolean => {
    const place = placeOf(address);
    if (peer.toString() === this.parts.ownId || place === undefined) return true;
    return !this.isBadAddress(place.ip) && (this.parts.allowsPrivate || isPublic(place.ip));
  };

  /**
   * Of two connections between the same peers the one that the smaller id opened is kept, so that two who call each
   * other at the same moment agree.
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
    // Our own refusal is no failure of the other side.
    if (isDenied) this.incoming.delete(connection);
    return isDenied;
  }

  private track(connection: MultiaddrConnection, incoming: Incoming): void {
    this.incoming.set(connection, incoming);
    connection.addEventListener("close", () => {
      if (this.incoming.delete(connection)) this.parts.onFailedUpgrade(incoming.ip);
    });
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

  /** Whether those who call took all places that are for them. */
  private isFull(): boolean {
    const { maximum, minimumOutbound } = this.parts.limits;
    if (this.count(() => true) >= maximum) return true;
    return this.count(({ direction }) => direction === "inbound") >= maximum - minimumOutbound;
  }

  /** Those who call us cannot keep us from calling somebody near them: only our own calls count then. */
  private isCrowded(ip: string, direction: "inbound" | "outbound"): boolean {
    const { perAddress, perSubnet } = this.parts.limits;
    const counts = (one: { direction: string }) => direction === "inbound" || one.direction === "outbound";
    const host = hostOf(ip);
    if (this.count((one) => counts(one) && hostOf(one.ip) === host) >= perAddress) return true;
    const subnet = subnetOf(ip);
    return this.count((one) => counts(one) && subnetOf(one.ip) === subnet) >= perSubnet;
  }

  /** Connections and those that are becoming some; trusted peers do not count. */
  private count(matches: (one: { direction: "inbound" | "outbound"; ip: string }) => boolean): number {
    let count = 0;
    for (const one of this.parts.connections()) if (!this.isTrusted(one.id) && matches(one)) count++;
    for (const { ip } of this.incoming.values()) if (matches({ direction: "inbound", ip })) count++;
    return count;
  }
}
