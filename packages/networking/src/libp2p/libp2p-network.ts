import { join } from "node:path";
import { messageOf } from "@cambium/primitives";
import { peerIdFromPrivateKey, peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
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
import type { NetworkingOptions } from "../options.js";
import type { NetworkParts, WireSetup } from "../parts.js";
import type { ScoringEvent } from "../scoring/events.js";
import { checkedChanges, replaceMembers } from "../shared/peer-changes.js";
import { parseMultiaddr, peerOf, placeOf } from "./addresses.js";
import { type Assembly, assemble } from "./assembly.js";
import { Gossip } from "./gossip/gossip.js";
import { type CheckedOptions, checkOptions } from "./host/checked-options.js";
import { createHost, type Host } from "./host/libp2p-node.js";
import { PeerDatastore } from "./host/peer-datastore.js";
import { libp2pKey } from "./host/private-key.js";
import { PeerManager } from "./peers/peer-manager.js";
import { createPeerRequests } from "./requests/peer-requests.js";

/** Opens the wire of libp2p. Throws {@link NetworkingError} `INVALID_OPTION`, `LISTEN_FAILED` or `LIBRARY_CHANGED`. */
export async function openLibp2p(
  options: NetworkingOptions,
  modules: NetworkParts,
  { key: raw, limits, eclipse, ownKey }: WireSetup,
): Promise<Wire> {
  const checked = checkOptions(options);
  const key = libp2pKey(raw);
  const datastore = await openDatastore(join(options.folder, "peers"), modules.logger);
  const own = { ...options, limits: limits.of("libp2p") };
  const { trusted, bootNodes } = checked;
  const parts = assemble(own, modules, peerIdFromPrivateKey(key).toString(), { trusted, ownKey });
  limits.register("libp2p", {
    count: () => parts.sessions.all().filter(({ isTrusted }) => !isTrusted).length,
    has: (peer) => parts.sessions.get(peer) !== undefined,
  });
  eclipse.add(() => parts.sessions.ready());
  try {
    const host = await createHost(options, {
      key,
      datastore,
      gater: parts.gate,
      gossip: {
        label: parts.label,
        gasLimit: parts.gasLimit,
        score: (peer) => modules.scoring.score(peer),
        perAddress: options.limits.perAddress,
        onMalformed: (peer, detail) => parts.report(peer, "UNREADABLE_MESSAGE", `gossip: ${detail}`),
      },
      streams: parts.streams,
      timings: parts.timings,
      whenReady: (peer) => parts.sessions.whenReady(peer.toString()),
      isDevelopment: parts.isDevelopment,
      ipOf: (peer) => parts.sessions.get(peer)?.address.ip,
    });
    const network = new Libp2pNetwork(own, { ...checked, eclipse }, modules, parts, host, datastore);
    await network.start();
    const places = (addresses: readonly Multiaddr[]) => addresses.flatMap((address) => placeText(address) ?? []);
    ownKey.configured(places(bootNodes.get(parts.ownId) ?? []), places(host.libp2p.getMultiaddrs()));
    return network;
  } catch (error) {
    await datastore.close();
    throw error;
  }
}

async function openDatastore(path: string, logger: NetworkParts["logger"]): Promise<PeerDatastore> {
  const datastore = new PeerDatastore(path, (error) => {
    logger.warn(
      { reason: messageOf(error) },
      "Failed to store the addresses of peers; they are forgotten when the node stops",
    );
  });
  try {
    await datastore.open();
    return datastore;
  } catch (error) {
    throw new NetworkingError({ code: "INVALID_OPTION", option: "folder", reason: messageOf(error) }, { cause: error });
  }
}

/** Returns the address as text; undefined for a name. */
function placeText(address: Multiaddr): string | undefined {
  const place = placeOf(address);
  return place === undefined ? undefined : `${place.ip}:${place.port}`;
}

/** Placeholder for the unknown hash of a parent. */
const UNKNOWN_HASH = new Uint8Array(32);

/** `PeerNetwork` over libp2p. */
class Libp2pNetwork extends ForwardedRequests implements Wire {
  readonly name = "libp2p";
  private readonly requests: PeerRequests;
  private readonly gossip: Gossip;
  private readonly manager: PeerManager;
  private readonly stopListening: (() => void)[] = [];
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly options: NetworkingOptions,
    private readonly checked: CheckedOptions & Pick<WireSetup, "eclipse">,
    private readonly modules: NetworkParts,
    private readonly parts: Assembly,
    private readonly host: Host,
    private readonly datastore: PeerDatastore,
  ) {
    super();
    const { sessions, requester, report, label, gasLimit, gossipLimiter, dialSchedule, timings } = parts;
    const { logger, scoring } = modules;
    this.requests = createPeerRequests({ sessions, requester, report });
    this.gossip = new Gossip({
      service: host.services.gossip,
      label,
      limiter: gossipLimiter,
      gasLimit,
      isReady: (peer) => sessions.get(peer)?.isReady === true,
      report,
      logger,
    });
    this.manager = new PeerManager({
      libp2p: host.libp2p,
      sessions,
      limits: options.limits,
      bootNodes: checked.bootNodes,
      discovery: options.discovery,
      trusted: checked.trusted,
      scoring,
      dialSchedule,
      timings,
      eclipse: checked.eclipse,
      discover: () => this.discover(),
      refreshStatus: () => parts.handshake.refresh(),
      disconnect: parts.connections.disconnect,
      logger,
    });
  }

  protected requestsTo(): PeerRequests {
    return this.requests;
  }

  get ownId(): PeerId {
    return this.parts.ownId;
  }

  get isListening(): boolean {
    return this.stopping === undefined && this.host.libp2p.getMultiaddrs().length > 0;
  }

  async start(): Promise<void> {
    const { libp2p } = this.host;
    const { connections, events, server, responders, sessions } = this.parts;
    connections.watch(libp2p);
    await server.listen(libp2p, responders);
    await this.listen();
    this.gossip.start();
    this.stopListening.push(
      this.modules.scoring.onBad((isBad) => connections.dropAll(isBad)),
      events.add(({ kind, peer }) => {
        const session = sessions.get(peer.id);
        if (kind === "peerConnected" && session !== undefined) this.manager.remember(session);
      }),
    );
    this.manager.start();
  }

  /** Addresses were checked before, so a failure concerns the ports. */
  private async listen(): Promise<void> {
    const { libp2p } = this.host;
    try {
      await libp2p.start();
    } catch (error) {
      const address = this.options.listen.join(", ");
      throw new NetworkingError({ code: "LISTEN_FAILED", address, reason: listenReason(error) }, { cause: error });
    }
    const place = libp2p
      .getMultiaddrs()
      .map(placeOf)
      .find((address) => address !== undefined);
    this.parts.listening.port = place?.port ?? 0;
  }

  peers(): readonly Peer[] {
    return this.parts.sessions.ready();
  }

  peer(id: PeerId): Peer | undefined {
    const session = this.parts.sessions.get(id);
    return session?.isReady ? session : undefined;
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    return this.parts.events.add(listener);
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.parts.report(peer, event, detail);
  }

  noteBest(peer: PeerId, number: number, hash: Uint8Array, totalDifficulty: bigint): void {
    const session = this.parts.sessions.get(peer);
    if (!session?.isReady || session.status.totalDifficulty >= totalDifficulty) return;
    session.accept({
      ...session.status,
      bestNumber: number,
      bestHash: hash,
      bestParentHash: UNKNOWN_HASH,
      totalDifficulty,
    });
    this.parts.events.emit({ kind: "peerStatus", peer: session });
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    this.gossip.setHandlers(handlers);
  }

  publishBlock(encoded: Uint8Array): Promise<void> {
    return this.gossip.publishBlock(encoded);
  }

  /** Gossip relays blocks whole, and only to peers that have not sent it. */
  relayBlock(_block: BlockId, encoded: Uint8Array): Promise<void> {
    return this.gossip.publishBlock(encoded);
  }

  publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    return this.gossip.publishBlockHash(announcement);
  }

  publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    return this.gossip.publishTransactions(encoded);
  }

  relayTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    return this.gossip.publishTransactions(encoded);
  }

  /** Gossip relayed the transactions when they were received. */
  async relayPending(): Promise<void> {}

  listenAddresses(): string[] {
    return this.host.libp2p.getMultiaddrs().map((address) => address.toString());
  }

  list(): string[] {
    return this.parts.sessions.ready().map(({ id, address }) => `${id} | ${address.ip}:${address.port}`);
  }

  canDial(address: string): boolean {
    return address.startsWith("/");
  }

  async dial(address: string): Promise<Peer> {
    const target = parseMultiaddr(address, "peer");
    const peer = peerOf(target);
    if (peer !== undefined) this.parts.dialSchedule.reset(peer);
    const signal = AbortSignal.timeout(this.parts.timings.handshake);
    try {
      const { remotePeer } = await this.host.libp2p.dial(target, { signal });
      const session = this.parts.sessions.get(remotePeer.toString());
      if (session !== undefined && (await session.ready)) return session;
    } catch (cause) {
      throw new NetworkingError({ code: "DISCONNECTED", peer: address }, { cause });
    }
    throw new NetworkingError({ code: "DISCONNECTED", peer: address });
  }

  async disconnect(peer: PeerId): Promise<void> {
    const session = this.parts.sessions.get(peer);
    if (session !== undefined) await this.parts.connections.disconnectGracefully(session, "requested");
  }

  change(changes: PeerChanges): void {
    replaceMembers(this.checked.trusted, checkedChanges(changes).trusted);
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    for (const stop of this.stopListening) stop();
    this.manager.stop();
    this.gossip.stop();
    await this.parts.connections.stop();
    try {
      await this.host.libp2p.stop();
    } finally {
      await this.datastore.close();
    }
  }

  /** Searches for the peers closest to us; the search stores the addresses of the peers that it finds. */
  private async discover(): Promise<void> {
    const { kad } = this.host.services;
    if (kad === undefined) return;
    const signal = AbortSignal.timeout(this.parts.timings.handshake);
    const own = peerIdFromString(this.ownId).toMultihash().bytes;
    try {
      const search = kad.getClosestPeers(own, { signal })[Symbol.asyncIterator]();
      while (this.stopping === undefined && (await search.next()).done !== true);
    } catch (error) {
      this.modules.logger.debug({ reason: messageOf(error) }, "Peer discovery failed");
    }
  }
}

/**
 * Returns the failure of each address. libp2p's message has additional lines: an option of the library, and stack
 * traces.
 */
function listenReason(error: unknown): string {
  const text = messageOf(error);
  const failures = text.match(/^ *\/\S+: .+$/gm) ?? [text];
  return failures.map((line) => line.trim()).join("; ");
}
