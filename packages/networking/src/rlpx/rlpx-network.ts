import { parseIp } from "@cambium/primitives";
import { RlpxError } from "@cambium/rlpx";
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
import { fromRlpx, targetOf } from "../shared/dial-target.js";
import { checkedChanges, replaceMembers } from "../shared/peer-changes.js";
import { assemble, type RlpxAssembly } from "./assembly.js";

/** Opens the wire of the deployed network. Throws {@link NetworkingError} `INVALID_OPTION` or `LISTEN_FAILED`. */
export async function openRlpx(options: NetworkingOptions, parts: NetworkParts, setup: WireSetup): Promise<Wire> {
  const network = new RlpxNetwork(assemble(options, parts, setup), parts, setup);
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
  private readonly stopScoring: () => void;
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly assembly: RlpxAssembly,
    { scoring }: NetworkParts,
    private readonly setup: WireSetup,
  ) {
    super();
    const { table, connected } = assembly;
    this.stopScoring = scoring.onBad((isBad) => connected.dropAll(isBad));
    setup.eclipse.add(() => table.ready());
    setup.limits.register("rlpx", {
      count: () => table.all().filter(({ isTrusted }) => !isTrusted).length,
      has: (peer) => table.get(peer) !== undefined,
    });
  }

  get ownId(): PeerId {
    return this.assembly.ownId;
  }

  async start(): Promise<void> {
    const { host, connected, dialer } = this.assembly;
    await host.listen();
    connected.start();
    this.reviewFixed();
    await host.discover();
    dialer.start();
  }

  /** Checks fixed nodes for this node's key. */
  private reviewFixed(): void {
    const { fixed, ownId, host: sockets } = this.assembly;
    const literal = [...fixed].filter(({ id, host }) => id === ownId && parseIp(host) !== undefined);
    this.setup.ownKey.configured(
      literal.map(({ host, port }) => `${host}:${port}`),
      sockets.ownPlaces(),
    );
  }

  protected requestsTo(): PeerRequests {
    return this.assembly.requests;
  }

  get isListening(): boolean {
    return this.stopping === undefined && this.assembly.host.isListening;
  }

  listenAddresses(): string[] {
    return this.assembly.host.addresses();
  }

  list(): string[] {
    return this.assembly.table.ready().map(({ id, address }) => `${id} | ${address.ip}:${address.port}`);
  }

  peers(): readonly Peer[] {
    return this.assembly.table.ready();
  }

  peer(id: PeerId): Peer | undefined {
    const peer = this.assembly.table.get(id);
    return peer?.isReady ? peer : undefined;
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    return this.assembly.events.add(listener);
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.assembly.connected.report(peer, event, detail);
  }

  noteBest(id: PeerId, bestNumber: number, bestHash: Uint8Array, totalDifficulty: bigint): void {
    const peer = this.assembly.table.get(id);
    if (!peer?.isReady || peer.status.totalDifficulty >= totalDifficulty) return;
    peer.claim({ bestNumber, bestHash, totalDifficulty });
    this.assembly.events.emit({ kind: "peerStatus", peer });
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    this.assembly.gossip.setHandlers(handlers);
  }

  async publishBlock(encoded: Uint8Array): Promise<void> {
    this.assembly.gossip.publishBlock(encoded);
  }

  async relayBlock(block: BlockId): Promise<void> {
    this.assembly.gossip.relayBlock(block);
  }

  async publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    this.assembly.gossip.announce(announcement);
  }

  async publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    this.assembly.gossip.sendTransactions(encoded);
  }

  /** Only pending transactions are relayed (`spec/07 §B.6`). */
  async relayTransactions(): Promise<void> {}

  async relayPending(encoded: readonly Uint8Array[]): Promise<void> {
    this.assembly.gossip.sendTransactions(encoded);
  }

  canDial(address: string): boolean {
    return address.startsWith("enode:");
  }

  async dial(address: string): Promise<Peer> {
    const target = targetOf(address, "peer");
    this.assembly.schedule.reset(target.id);
    try {
      return await this.assembly.connect(target);
    } catch (cause) {
      throw new NetworkingError({ code: "DISCONNECTED", peer: address }, { cause });
    }
  }

  async disconnect(id: PeerId): Promise<void> {
    const peer = this.assembly.table.get(id);
    if (peer === undefined) return;
    this.assembly.connected.disconnect(peer, "requested");
    await peer.closed;
  }

  change(changes: PeerChanges): void {
    const { trusted, fixed } = checkedChanges(changes);
    replaceMembers(this.assembly.trusted, trusted);
    replaceMembers(this.assembly.fixed, fixed);
    if (fixed !== undefined) this.reviewFixed();
  }

  stop(): Promise<void> {
    this.stopping ??= this.close();
    return this.stopping;
  }

  private async close(): Promise<void> {
    const { host, gossip, connected, dialer } = this.assembly;
    this.stopScoring();
    dialer.stop();
    gossip.stop();
    await host.stop();
    await connected.stop();
  }
}
