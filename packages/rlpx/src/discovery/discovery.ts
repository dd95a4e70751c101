import { randomUUID } from "node:crypto";
import { equalBytes, hostOfIp, isPublicIp, subnetOfIp } from "@cambium/primitives";
import { RlpxError } from "../errors.js";
import { BootNodes } from "./boot-nodes.js";
import { type DiscoveryBudgets, newBudgets } from "./budgets.js";
import type { Origin } from "./fair-budget.js";
import type { DiscoveredNode, Discovery, DiscoveryOptions } from "./interface.js";
import { LearnedAddresses, MAX_NEIGHBORS } from "./learned-addresses.js";
import {
  countFitting,
  type DiscoveryMessage,
  decodeDiscoveryPacket,
  encodeDiscoveryPacket,
  type FindNode,
  type Neighbor,
  type Neighbors,
  type PingOrPong,
  recoverDiscoverySender,
} from "./packets.js";
import { type PendingRequest, PendingRequests } from "./pending-requests.js";
import { type Ping, Pings } from "./pings.js";
import { select } from "./selection.js";
import { StoredNodes } from "./stored-nodes.js";
import { NodeTable } from "./table.js";
import { addressKey, type UdpAddress } from "./udp-address.js";
import { openUdpSocket, type UdpSocket } from "./udp-socket.js";

const REFRESH_PERIOD = 60_000;
const CLEANUP_PERIOD = 15_000;
/** Milliseconds until a new node is queried for others: it answers once it has received our pong to its ping. */
const EAGER_DELAY = 1_000;
/** Number of nodes that a refresh queries for neighbours and pings; the last of them are chosen at random. */
const ASKED = { count: 24, random: 5 };
const CHECKED = { count: 16, random: 10 };
/** Maximum size of a sent packet, in bytes. Larger ones may be fragmented, and fragments are often dropped. */
export const MAX_SENT_PACKET = 1280;
interface NeighborsRequest extends PendingRequest {
  node: DiscoveredNode;
}

/** Binds the socket and starts discovery. Rejects with {@link RlpxError} `LISTEN_FAILED`. */
export async function openDiscovery(options: DiscoveryOptions): Promise<Discovery> {
  const { bind, openSocket = openUdpSocket, logger } = options;
  let service: DiscoveryService | undefined;
  const socket = await openSocket(bind, {
    onPacket: (packet, from) => service?.receive(packet, from),
    onError: (error) => logger.debug({ error: error.message }, "UDP socket reported an error"),
  });
  service = new DiscoveryService(options, socket);
  service.start();
  return service;
}

/** Discovery of `spec/07 §A.4`. The table holds only nodes that answered a ping at their address. */
class DiscoveryService implements Discovery {
  private readonly table: NodeTable;
  private readonly pings: Pings;
  private readonly neighborsRequests: PendingRequests<NeighborsRequest>;
  private readonly learned: LearnedAddresses;
  private readonly budgets: DiscoveryBudgets;
  private readonly listeners = new Set<(node: DiscoveredNode) => void>();
  private readonly store: StoredNodes;
  private stored: readonly DiscoveredNode[] = [];
  private readonly boots: BootNodes;
  private timers: (() => void)[] = [];
  private isStopped = false;
  private hasUnstoredChanges = false;

  constructor(
    private readonly options: DiscoveryOptions,
    private readonly socket: UdpSocket,
  ) {
    const { identity, allowsPrivate, clock } = options;
    const now = () => clock.now();
    this.table = new NodeTable(identity.nodeId, !allowsPrivate);
    this.pings = new Pings({
      send: (to, messageId) => this.sendPing(to, messageId),
      mayChallenge: (to) => this.budgets.challenges.take(this.originOf(to)),
      now,
    });
    this.neighborsRequests = new PendingRequests(now);
    this.learned = new LearnedAddresses({
      ownId: identity.nodeId,
      isWanted: (ip, id) => this.isWanted(ip, id),
      isKnown: (address) => this.isKnown(address),
      now,
    });
    this.budgets = newBudgets(now);
    this.store = new StoredNodes(options.store, options.logger);
    this.boots = new BootNodes({
      options,
      ping: (to, tcpPort, expectedId) => this.pings.ping({ purpose: "boot", to, tcpPort, expectedId }),
      isStopped: () => this.isStopped,
    });
  }

  get localPort(): number {
    return this.socket.localPort;
  }

  nodes(): readonly DiscoveredNode[] {
    return this.table.nodes();
  }

  bootNodes(): readonly DiscoveredNode[] {
    return this.boots.answered();
  }

  onNode(listener: (node: DiscoveredNode) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): void {
    const { clock } = this.options;
    this.stored = this.store.read();
    this.timers = [
      clock.every(CLEANUP_PERIOD, () => this.cleanUp()),
      clock.every(REFRESH_PERIOD, () => this.refresh()),
    ];
    void this.boot();
  }

  async stop(): Promise<void> {
    if (this.isStopped) return;
    this.isStopped = true;
    for (const cancel of this.timers) cancel();
    this.writeStore();
    await this.socket.close();
  }

  /** Handles a packet with any content. */
  receive(packet: Uint8Array, from: UdpAddress): void {
    if (this.isStopped || from.udpPort === 0 || !this.options.isAllowed(from.ip, undefined)) return;
    try {
      const message = decodeDiscoveryPacket(packet);
      if (message.networkId !== undefined && message.networkId !== this.options.networkId) return;
      this.handle(message, packet, from);
    } catch (error) {
      const { logger } = this.options;
      const details = { from: addressKey(from), error: (error as Error).message };
      if (error instanceof RlpxError) logger.debug(details, "Discarded a discovery packet");
      else logger.error(details, "Failed to handle a discovery packet");
    }
  }

  private handle(message: DiscoveryMessage, packet: Uint8Array, from: UdpAddress): void {
    if (message.kind === "findNode") this.handleFindNode(message, packet, from);
    else if (message.kind === "neighbors") this.handleNeighbors(message, packet, from);
    else if (message.kind === "ping") this.handlePing(message, packet, from);
    else this.handlePong(message, packet, from);
  }

  private handlePing({ messageId }: PingOrPong, packet: Uint8Array, from: UdpAddress): void {
    const budget = this.isKnown(from) ? this.budgets.known : this.budgets.unknown;
    if (!budget.take(this.originOf(from))) return;
    const sender = recoverDiscoverySender(packet);
    if (this.isSelf(sender) || !this.options.isAllowed(from.ip, sender)) return;
    const endpoint = this.ownEndpoint();
    // Deployed nodes compare the message id in lower case.
    this.send({ kind: "pong", from: endpoint, to: endpoint, messageId: messageId.toLowerCase() }, from);
    const node = this.table.at(from);
    if (node !== undefined && equalBytes(node.id, sender)) this.table.touch(node);
    else if (this.isWanted(from.ip, sender)) this.pings.challenge(from);
  }

  private handlePong({ messageId }: PingOrPong, packet: Uint8Array, from: UdpAddress): void {
    const ping = this.pings.take(messageId, from);
    if (ping === undefined && !this.isProof(messageId, from)) return;
    const id = recoverDiscoverySender(packet);
    if (this.isSelf(id) || !this.options.isAllowed(from.ip, id)) return;
    if (ping?.expectedId !== undefined && !equalBytes(ping.expectedId, id)) {
      this.options.logger.debug({ from: addressKey(from) }, "The boot node answered with another id");
      return;
    }
    const node = { id, ...from, tcpPort: ping?.tcpPort ?? from.udpPort };
    this.boots.noteAnswer(node);
    this.admit(node);
  }

  /** Whether a pong answers a ping to an unknown node. */
  private isProof(messageId: string, from: UdpAddress): boolean {
    return this.pings.isProof(messageId, from) && this.budgets.known.take(this.originOf(from));
  }

  private handleFindNode({ messageId }: FindNode, packet: Uint8Array, from: UdpAddress): void {
    const node = this.table.at(from);
    // Only a node that answered a ping receives packets at its address: otherwise answers would be a means of
    // amplification.
    if (node === undefined || !this.budgets.known.take(this.originOf(from))) return;
    if (!equalBytes(recoverDiscoverySender(packet), node.id)) return;
    if (!this.budgets.answers.take({ ...this.originOf(from), source: addressKey(from) })) return;
    this.table.touch(node);
    const nodes = this.neighborsOf(node);
    this.send({ kind: "neighbors", nodes, messageId: messageId.toLowerCase() }, from);
  }

  private handleNeighbors({ messageId, nodes }: Neighbors, packet: Uint8Array, from: UdpAddress): void {
    const request = this.neighborsRequests.take(messageId, from);
    if (request === undefined || !equalBytes(recoverDiscoverySender(packet), request.node.id)) return;
    this.table.touch(request.node);
    for (const to of this.learned.choose(this.originOf(from), nodes)) this.pings.ping({ purpose: "learned", to });
  }

  /**
   * Adds a node that just answered. If another node occupies its place, that node is pinged and stays if it answers.
   */
  private admit(node: DiscoveredNode): void {
    const result = this.table.add(node);
    if (result.kind === "added") {
      this.hasUnstoredChanges = true;
      this.options.logger.debug({ node: addressKey(node), nodes: this.table.size }, "Discovered a node");
      for (const listener of this.listeners) listener(node);
      if (this.options.wantsNodes?.()) this.requestNeighborsSoon(node);
    } else if (result.kind === "occupied") this.check(result.by, node);
  }

  private check(node: DiscoveredNode, successor?: DiscoveredNode): void {
    const pending = this.pings.to(node);
    if (pending === undefined) this.pings.ping({ purpose: "check", to: node, tcpPort: node.tcpPort, node, successor });
    else {
      pending.node ??= node;
      pending.successor ??= successor;
    }
  }

  private sendPing(to: UdpAddress, messageId: string): void {
    const endpoint = this.ownEndpoint();
    this.send({ kind: "ping", from: endpoint, to: endpoint, messageId }, to);
  }

  private requestNeighborsSoon(node: DiscoveredNode): void {
    this.options.clock.after(EAGER_DELAY, () => {
      if (!this.isStopped && this.table.at(node) === node) this.requestNeighbors(node);
    });
  }

  private requestNeighbors(node: DiscoveredNode): void {
    if (this.neighborsRequests.to(node) !== undefined) return;
    const messageId = randomUUID();
    this.neighborsRequests.add({ messageId, to: node, node });
    this.send({ kind: "findNode", nodeId: this.options.identity.nodeId, messageId }, node);
  }

  private send(message: DiscoveryMessage, to: UdpAddress): void {
    const { identity, networkId } = this.options;
    this.socket.send(encodeDiscoveryPacket({ ...message, networkId }, identity.privateKey), to);
  }

  private cleanUp(): void {
    for (const { node } of this.neighborsRequests.takeExpired()) {
      // The node may not have received our pong before the request.
      if (this.options.wantsNodes?.()) this.requestNeighborsSoon(node);
    }
    for (const ping of this.pings.takeSilent()) this.handleSilence(ping);
  }

  private handleSilence({ node, successor }: Ping): void {
    if (node !== undefined) this.forget(node);
    if (successor !== undefined) this.pings.ping({ purpose: "learned", to: successor, tcpPort: successor.tcpPort });
  }

  private forget(node: DiscoveredNode): void {
    if (!this.table.remove(node)) return;
    this.hasUnstoredChanges = true;
    this.options.logger.debug({ node: addressKey(node), nodes: this.table.size }, "Removed a node from discovery");
  }

  private refresh(): void {
    for (const node of this.table.nodes()) if (!this.options.isAllowed(node.ip, node.id)) this.forget(node);
    const isLost = this.table.size === 0 && this.pings.size === 0;
    if (isLost || this.options.isIsolated?.()) void this.boot();
    const closest = this.table.closest(this.options.identity.nodeId);
    for (const node of select(closest, ASKED)) this.requestNeighbors(node);
    for (const node of select(closest, CHECKED)) this.check(node);
    if (this.hasUnstoredChanges) this.writeStore();
  }

  /** Pings the stored nodes and the boot nodes. */
  private async boot(): Promise<void> {
    for (const node of this.stored) {
      if (this.options.isAllowed(node.ip, node.id))
        this.pings.ping({ purpose: "stored", to: node, tcpPort: node.tcpPort });
    }
    await this.boots.ping();
  }

  /**
   * Returns the nodes closest to `node` that fit in a packet. Private addresses are useless outside of private
   * networks.
   */
  private neighborsOf(node: DiscoveredNode): Neighbor[] {
    const others = this.table.closest(node.id).filter((other) => other !== node && this.isWanted(other.ip, other.id));
    const nodes = others
      .slice(0, MAX_NEIGHBORS)
      .map(({ id, ip, udpPort, tcpPort }) => ({ host: ip, udpPort, tcpPort, nodeId: id }));
    return nodes.slice(0, countFitting(nodes, MAX_SENT_PACKET));
  }

  /** Whether a node may be contacted at an address that it or another node claims. */
  private isWanted(ip: string, nodeId: Uint8Array): boolean {
    const { allowsPrivate, isAllowed } = this.options;
    return (allowsPrivate || isPublicIp(ip)) && isAllowed(ip, nodeId);
  }

  private isKnown(address: UdpAddress): boolean {
    return this.table.at(address) !== undefined || this.pings.to(address) !== undefined;
  }

  private isSelf(id: Uint8Array): boolean {
    return equalBytes(id, this.options.identity.nodeId);
  }

  /** Returns the subject of limits: on private networks many nodes may share a host. */
  private originOf(address: UdpAddress): Origin {
    if (this.options.allowsPrivate) return { source: addressKey(address), subnet: addressKey(address) };
    return { source: hostOfIp(address.ip), subnet: subnetOfIp(address.ip) };
  }

  private ownEndpoint() {
    const { host, port } = this.options.advertised;
    const ownPort = port === 0 ? this.localPort : port;
    return { host, udpPort: ownPort, tcpPort: ownPort };
  }

  private writeStore(): void {
    this.hasUnstoredChanges = false;
    this.store.write(this.table.nodes());
  }
}
