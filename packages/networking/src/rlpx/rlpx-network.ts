import { setMaxListeners } from "node:events";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { authority, isUnspecified, parseIp, platformClock, secp256k1, steadyTime, toHex } from "@cambium/primitives";
import {
  type Capability,
  type DiscoveredNode,
  type Discovery,
  dialRlpx,
  HeldBytes,
  listenRlpx,
  nodeFile,
  openDiscovery,
  type RlpxConnection,
  RlpxError,
  type RlpxListener,
  type RlpxOptions,
  RSK_CAPABILITIES,
} from "@cambium/rlpx";
import { NetworkingError } from "../errors.js";
import { ForwardedRequests } from "../forwarded-requests.js";
import type {
  BlockAnnouncement,
  BlockId,
  GossipHandlers,
  NetworkEvent,
  Peer,
  PeerId,
  PeerRequests,
} from "../interface.js";
import type { PeerChanges, Wire } from "../network.js";
import type { NetworkingOptions, PeerLimits } from "../options.js";
import type { NetworkParts, WireSetup } from "../parts.js";
import { DialSchedule } from "../peers/dial-schedule.js";
import { Listeners } from "../peers/listeners.js";
import type { ScoringEvent } from "../scoring/events.js";
import { type DialTarget, fromRlpx, targetOf } from "../shared/dial-target.js";
import { blockFrameBytes, MIB } from "../shared/limits.js";
import { checkedChanges, replaceMembers } from "../shared/peer-changes.js";
import { peerIdOf } from "../shared/peer-id.js";
import { developmentTimings, timingsOf } from "../shared/timings.js";
import { Dialer } from "./dialer.js";
import { RlpxGate } from "./gate.js";
import { RlpxGossip } from "./gossip.js";
import { RlpxPeerTable } from "./peer-table.js";
import { RlpxPeers } from "./peers.js";
import { createRlpxRequests } from "./requests.js";

const MINUTE = 60_000;
/** Maximum bytes buffered by all connections together: room for the largest messages of 32 of them. */
const MAX_CONNECTION_BYTES = 256 * MIB;
const SNAP: Capability = { name: "snap", version: 1 };

/** Opens the wire of the deployed network. Throws {@link NetworkingError} `INVALID_OPTION` or `LISTEN_FAILED`. */
export async function openRlpx(options: NetworkingOptions, parts: NetworkParts, setup: WireSetup): Promise<Wire> {
  const network = new RlpxNetwork(options, parts, setup);
  try {
    await network.start();
    return network;
  } catch (error) {
    await network.stop();
    throw error instanceof RlpxError ? fromRlpx(error) : error;
  }
}

/** `PeerNetwork` over RLPx. */
class RlpxNetwork extends ForwardedRequests implements Wire {
  readonly name = "rlpx";
  readonly ownId: PeerId;
  private readonly requests: PeerRequests;
  private readonly nodeId: Uint8Array;
  private readonly trusted: Set<PeerId>;
  private readonly fixed: Set<DialTarget>;
  private readonly table = new RlpxPeerTable();
  private readonly events: Listeners;
  private readonly gate: RlpxGate;
  private readonly gossip: RlpxGossip;
  private readonly connected: RlpxPeers;
  private readonly dialer: Dialer;
  private readonly schedule: DialSchedule;
  private readonly limits: PeerLimits;
  private readonly stopScoring: () => void;
  private readonly listeners: { host: string; listener: RlpxListener }[] = [];
  private readonly ending = new AbortController();
  private readonly heldBytes = new HeldBytes(MAX_CONNECTION_BYTES);
  private discovery: Discovery | undefined;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly options: NetworkingOptions,
    private readonly parts: NetworkParts,
    private readonly setup: WireSetup,
  ) {
    super();
    // Every dial in progress listens to it.
    setMaxListeners(0, this.ending.signal);
    const { sources, scoring, logger } = parts;
    const { network, rlpx } = options;
    const { chain } = sources;
    this.fixed = new Set(rlpx.nodes.map((text) => targetOf(text, "rlpx.nodes")));
    this.nodeId = secp256k1.publicKey(setup.key);
    this.ownId = peerIdOf(this.nodeId)!;
    const trusted = new Set(options.trustedPeers);
    this.trusted = trusted;
    this.limits = setup.limits.of("rlpx");
    const { limits } = this;
    const { redial, heartbeat } = parts.timings ?? (this.isDevelopment ? developmentTimings() : timingsOf());
    this.events = new Listeners(logger);
    this.schedule = new DialSchedule(steadyTime, { first: redial, longest: this.isDevelopment ? redial : 30 * MINUTE });
    this.gate = new RlpxGate({
      ownId: this.ownId,
      peers: this.table,
      limits,
      trusted,
      scoring,
      isConnectedElsewhere: (peer) => setup.limits.isConnectedElsewhere("rlpx", peer),
      isForbidden: (peer) => this.schedule.isForbidden(peer),
      now: () => platformClock.now(),
    });
    this.gossip = new RlpxGossip({
      network,
      isDevelopment: this.isDevelopment,
      peers: () => this.table.ready(),
      maxBlockBytes: () => blockFrameBytes(chain.best().header.gasLimitValue),
      report: (peer, event, detail) => this.report(peer, event, detail),
      clock: () => performance.now(),
      logger,
    });
    this.connected = new RlpxPeers({
      peers: this.table,
      gate: this.gate,
      gossip: this.gossip,
      sources,
      scoring,
      dialSchedule: this.schedule,
      trusted,
      announce: (event) => this.events.emit(event),
      ended: (peer) => {
        this.gossip.forget(peer.id);
        if (peer.direction === "inbound") this.dialer.redial(peer.id);
      },
      clock: platformClock,
      logger,
    });
    this.requests = createRlpxRequests({
      network,
      genesisHash: chain.genesis.hash,
      peer: (id) => this.table.get(id),
      report: this.connected.report,
    });
    this.dialer = new Dialer({
      peers: this.table,
      gate: this.gate,
      limits,
      fixed: this.fixed,
      discovered: () => targetsOf(this.discovery?.nodes()),
      bootNodes: () => targetsOf(this.discovery?.bootNodes()),
      eclipse: setup.eclipse,
      disconnect: (peer) => this.connected.disconnect(peer, "tooManyPeers"),
      dialSchedule: this.schedule,
      dial: (target) => this.connect(target),
      clock: platformClock,
      interval: heartbeat,
      logger,
    });
    this.stopScoring = scoring.onBad((isBad) => this.connected.dropAll(isBad));
    setup.eclipse.add(() => this.table.ready());
    setup.limits.register("rlpx", {
      count: () => this.table.all().filter(({ isTrusted }) => !isTrusted).length,
      has: (peer) => this.table.get(peer) !== undefined,
    });
  }

  async start(): Promise<void> {
    const { rlpx, discovery } = this.options;
    let { port } = rlpx;
    for (const host of rlpx.hosts) {
      const listener = await this.listen(host, port);
      this.listeners.push({ host, listener });
      port = listener.port;
    }
    this.connected.start();
    this.reviewFixed();
    const [host] = rlpx.hosts;
    if (discovery && host !== undefined) this.discovery = await this.discover(host, port);
    this.dialer.start();
  }

  /** Looks for fixed nodes with this node's key. */
  private reviewFixed(): void {
    const literal = [...this.fixed].filter(({ id, host }) => id === this.ownId && parseIp(host) !== undefined);
    const own = this.listeners.flatMap(({ host, listener: { port } }) =>
      [...reachableHosts(host), this.options.rlpx.publicHost].map((reachable) => `${reachable}:${port}`),
    );
    this.setup.ownKey.configured(
      literal.map(({ host, port }) => `${host}:${port}`),
      own,
    );
  }

  protected requestsTo(): PeerRequests {
    return this.requests;
  }

  private listen(host: string, port: number): Promise<RlpxListener> {
    return listenRlpx({
      ...this.connectionOptions(),
      host,
      port,
      mayAccept: (ip) => this.gate.mayAccept(ip),
      onConnection: (connection) => this.adoptInbound(connection),
      onFailedHandshake: (ip, { code }) => {
        if (code === "OWN_ID") this.setup.ownKey.proved(ip);
        else if (!this.ending.signal.aborted) this.parts.scoring.record({ ip }, "FAILED_HANDSHAKE");
      },
    });
  }

  private discover(host: string, port: number): Promise<Discovery> {
    const { network, rlpx, folder } = this.options;
    const { scoring, logger } = this.parts;
    return openDiscovery({
      identity: { privateKey: this.setup.key, nodeId: this.nodeId },
      networkId: network.networkId,
      bind: { host, port },
      advertised: { host: rlpx.publicHost ?? host, port },
      bootNodes: rlpx.bootNodes.map((node) => ({ host: node.host, udpPort: node.port, tcpPort: node.port })),
      allowsPrivate: this.isDevelopment,
      isAllowed: (ip, nodeId) => {
        const id = nodeId === undefined ? undefined : peerIdOf(nodeId);
        return scoring.isGoodAddress(ip) && (id === undefined || scoring.isGoodPeer(id));
      },
      wantsNodes: () => this.table.size < this.limits.target,
      isIsolated: () => this.setup.eclipse.isPossible(),
      store: nodeFile(join(folder, "discovered-nodes.json")),
      clock: platformClock,
      logger,
    });
  }

  private get isDevelopment(): boolean {
    return this.options.network.parentChain === "regtest";
  }

  private connectionOptions(): RlpxOptions {
    const { options, parts, setup, nodeId } = this;
    const port = () => this.listeners[0]?.listener.port ?? 0;
    const servesSnapshots = options.servesSnapshots && parts.sources.snapshots !== undefined;
    return {
      identity: { privateKey: setup.key, nodeId },
      hello: {
        clientId: options.clientId,
        capabilities: servesSnapshots ? [...RSK_CAPABILITIES, SNAP] : RSK_CAPABILITIES,
        get listenPort() {
          return port();
        },
      },
      requires: RSK_CAPABILITIES,
      heldBytes: this.heldBytes,
      clock: platformClock,
      logger: parts.logger,
      ...(parts.handshakeRandom && { random: parts.handshakeRandom }),
    };
  }

  private adoptInbound(connection: RlpxConnection): void {
    try {
      const { id } = this.connected.adopt(connection);
      const { hello, remoteAddress, remoteId } = connection;
      if (hello.listenPort === 0) return;
      this.dialer.remember({ id, nodeId: remoteId, host: remoteAddress.ip, port: hello.listenPort });
    } catch (error) {
      if (!(error instanceof NetworkingError)) throw error;
    }
  }

  private async connect(target: DialTarget): Promise<Peer> {
    const { host, port, nodeId } = target;
    const { signal } = this.ending;
    const connection = await dialRlpx({ ...this.connectionOptions(), host, port, remoteId: nodeId, signal });
    const peer = this.connected.adopt(connection);
    this.dialer.remember(target);
    if (await peer.ready) return peer;
    throw new NetworkingError({ code: "DISCONNECTED", peer: peer.id });
  }

  get isListening(): boolean {
    return this.stopping === undefined && this.listeners.length > 0;
  }

  listenAddresses(): string[] {
    const { publicHost } = this.options.rlpx;
    const id = toHex(this.nodeId);
    return this.listeners.flatMap(({ host, listener }) => {
      const hosts = publicHost === undefined ? reachableHosts(host) : [publicHost];
      return hosts.map((reachable) => `enode://${id}@${authority({ host: reachable, port: listener.port })}`);
    });
  }

  list(): string[] {
    return this.table.ready().map(({ id, address }) => `${id} | ${address.ip}:${address.port}`);
  }

  peers(): readonly Peer[] {
    return this.table.ready();
  }

  peer(id: PeerId): Peer | undefined {
    const peer = this.table.get(id);
    return peer?.isReady ? peer : undefined;
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    return this.events.add(listener);
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.connected.report(peer, event, detail);
  }

  noteBest(id: PeerId, bestNumber: number, bestHash: Uint8Array, totalDifficulty: bigint): void {
    const peer = this.table.get(id);
    if (!peer?.isReady || peer.status.totalDifficulty >= totalDifficulty) return;
    peer.claim({ bestNumber, bestHash, totalDifficulty });
    this.events.emit({ kind: "peerStatus", peer });
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    this.gossip.setHandlers(handlers);
  }

  async publishBlock(encoded: Uint8Array): Promise<void> {
    this.gossip.publishBlock(encoded);
  }

  async relayBlock(block: BlockId): Promise<void> {
    this.gossip.relayBlock(block);
  }

  async publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    this.gossip.announce(announcement);
  }

  async publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    this.gossip.sendTransactions(encoded);
  }

  /** Only pending ones are relayed (`spec/07 §B.6`). */
  async relayTransactions(): Promise<void> {}

  async relayPending(encoded: readonly Uint8Array[]): Promise<void> {
    this.gossip.sendTransactions(encoded);
  }

  canDial(address: string): boolean {
    return address.startsWith("enode:");
  }

  async dial(address: string): Promise<Peer> {
    const target = targetOf(address, "peer");
    this.schedule.reset(target.id);
    try {
      return await this.connect(target);
    } catch (cause) {
      throw new NetworkingError({ code: "DISCONNECTED", peer: address }, { cause });
    }
  }

  async disconnect(id: PeerId): Promise<void> {
    const peer = this.table.get(id);
    if (peer === undefined) return;
    this.connected.disconnect(peer, "requested");
    await peer.closed;
  }

  change(changes: PeerChanges): void {
    const { trusted, fixed } = checkedChanges(changes);
    replaceMembers(this.trusted, trusted);
    replaceMembers(this.fixed, fixed);
    if (fixed !== undefined) this.reviewFixed();
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    this.stopScoring();
    this.ending.abort();
    this.dialer.stop();
    this.gossip.stop();
    await this.discovery?.stop();
    for (const { listener } of this.listeners) listener.close();
    await this.connected.stop();
  }
}

function targetsOf(nodes: readonly DiscoveredNode[] = []): DialTarget[] {
  return nodes.flatMap(({ id: nodeId, ip, tcpPort }) => {
    const id = peerIdOf(nodeId);
    return id === undefined ? [] : [{ id, nodeId, host: ip, port: tcpPort }];
  });
}

/** The addresses of this machine that a listening address stands for. */
function reachableHosts(host: string): string[] {
  const ip = parseIp(host);
  if (ip === undefined || !isUnspecified(ip)) return [host];
  const family = ip.bytes.length === 4 ? "IPv4" : "IPv6";
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.filter((one) => one.family === family).map(({ address }) => address);
}
