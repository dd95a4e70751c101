import { randomUUID } from "node:crypto";
import { LruCache } from "@cambium/primitives";
import { MAX_BOOT_ADDRESSES } from "./boot-nodes.js";
import { EndpointProofs } from "./endpoint-proofs.js";
import type { DiscoveredNode } from "./interface.js";
import { type PendingRequest, PendingRequests, REQUEST_TIMEOUT } from "./pending-requests.js";
import { addressKey, type UdpAddress } from "./udp-address.js";

const ATTEMPTS = 3;
/** Maximum number of pings in flight for each purpose, so that no purpose prevents others. */
const MAX_PINGS = { boot: MAX_BOOT_ADDRESSES, stored: 256, check: 256, learned: 128 };
/** Maximum number of unknown nodes that are not pinged again while a ping to them may be answered. */
const MAX_CHALLENGED = 1024;

export interface Ping extends PendingRequest {
  purpose: keyof typeof MAX_PINGS;
  attempt: number;
  /** TCP port reported with the node if it answers; the UDP port by default. */
  tcpPort?: number;
  /** Expected node id; answers with another id are ignored. */
  expectedId?: Uint8Array;
  /** Node of the table to remove if it does not answer. */
  node?: DiscoveredNode;
  /** Node to ping after `node` was removed, because the table then has room. */
  successor?: DiscoveredNode;
}

export interface PingsParts {
  send(to: UdpAddress, messageId: string): void;
  /** Whether the limits admit a ping to an unknown node; counts it. */
  mayChallenge(to: UdpAddress): boolean;
  /** Returns the current time in milliseconds. */
  now(): number;
}

/** The pings of this node, and the proofs that a pong answers one of them. */
export class Pings {
  private readonly pending: PendingRequests<Ping>;
  private readonly proofs: EndpointProofs;
  /** Times until which unknown nodes are not pinged again, by address. */
  private readonly challenged = new LruCache<string, number>(MAX_CHALLENGED);

  constructor(private readonly parts: PingsParts) {
    this.pending = new PendingRequests(parts.now);
    this.proofs = new EndpointProofs(parts.now);
  }

  /** Number of pings in flight, without those to unknown nodes. */
  get size(): number {
    return this.pending.size;
  }

  /** Returns the ping in flight to an address. */
  to(address: UdpAddress): Ping | undefined {
    return this.pending.to(address);
  }

  /** Sends a ping, unless one to the address is in flight or there are too many. */
  ping(ping: Omit<Ping, "messageId" | "attempt">): void {
    if (this.pending.to(ping.to) !== undefined) return;
    if (this.pending.count(({ purpose }) => purpose === ping.purpose) >= MAX_PINGS[ping.purpose]) return;
    this.send({ ...ping, attempt: 1 });
  }

  /** Pings an unknown node without storing anything for its pong. */
  challenge(to: UdpAddress): void {
    const key = addressKey(to);
    const now = this.parts.now();
    if (this.pending.to(to) !== undefined || now <= (this.challenged.get(key) ?? Number.NEGATIVE_INFINITY)) return;
    if (!this.parts.mayChallenge(to)) return;
    this.challenged.set(key, now + REQUEST_TIMEOUT);
    this.parts.send(to, this.proofs.idFor(to));
  }

  /** Removes the ping that a pong answers; undefined if there is none. */
  take(messageId: string, from: UdpAddress): Ping | undefined {
    return this.pending.take(messageId, from);
  }

  /** Whether a pong answers {@link challenge}. Only a node at the address can know its id, and may repeat the pong. */
  isProof(messageId: string, from: UdpAddress): boolean {
    return this.proofs.isValid(messageId, from);
  }

  /** Repeats pings that were not answered in time; removes and returns those that were repeated before. */
  takeSilent(): Ping[] {
    const silent: Ping[] = [];
    for (const ping of this.pending.takeExpired()) {
      if (ping.attempt < ATTEMPTS) this.send({ ...ping, attempt: ping.attempt + 1 });
      else silent.push(ping);
    }
    return silent;
  }

  private send(ping: Omit<Ping, "messageId">): void {
    const messageId = randomUUID();
    const { ip, udpPort } = ping.to;
    this.pending.add({ ...ping, to: { ip, udpPort }, messageId });
    this.parts.send(ping.to, messageId);
  }
}
