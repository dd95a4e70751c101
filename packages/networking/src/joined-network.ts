import { NetworkingError } from "./errors.js";
import { ForwardedRequests } from "./forwarded-requests.js";
import type {
  BlockAnnouncement,
  GossipHandlers,
  NetworkEvent,
  Peer,
  PeerId,
  PeerRequests,
  Verdict,
} from "./interface.js";
import type { PeerChanges, RunningNetwork, Wire } from "./network.js";
import type { ScoringEvent } from "./scoring/events.js";

export interface JoinedNetworkParts {
  /** Wires, the preferred one first: a peer that connects over both stays connected over the first. */
  wires: readonly [Wire, ...Wire[]];
  /** RLP of a stored block. */
  encodedBlock(hash: Uint8Array): Uint8Array | undefined;
}

/**
 * Several wires as one network. Requests use the wire of the peer, and publications use all wires. Gossip that one wire
 * received and the node accepted is relayed on the other wires. Each wire itself relays to its own peers.
 */
export class JoinedNetwork extends ForwardedRequests implements RunningNetwork {
  private readonly wires: readonly [Wire, ...Wire[]];

  constructor(private readonly parts: JoinedNetworkParts) {
    super();
    this.wires = parts.wires;
    for (const wire of this.wires) {
      wire.on(({ kind, peer }) => {
        if (kind === "peerConnected") this.endDuplicates(peer.id);
      });
    }
  }

  get ownId(): PeerId {
    return this.wires[0].ownId;
  }

  get isListening(): boolean {
    return this.wires.some(({ isListening }) => isListening);
  }

  listenAddresses(): string[] {
    return this.wires.flatMap((wire) => wire.listenAddresses());
  }

  list(): string[] {
    return this.wires.flatMap((wire) => wire.list());
  }

  peers(): readonly Peer[] {
    const peers = new Map<PeerId, Peer>();
    for (const peer of this.wires.flatMap((wire) => wire.peers())) if (!peers.has(peer.id)) peers.set(peer.id, peer);
    return [...peers.values()];
  }

  peer(id: PeerId): Peer | undefined {
    return this.wireOf(id).peer(id);
  }

  /** A peer can be connected over two wires for a moment: only the preferred wire's events are then passed on. */
  on(listener: (event: NetworkEvent) => void): () => void {
    const stops = this.wires.map((wire) =>
      wire.on((event) => {
        if (!this.wires.some((other) => other !== wire && other.peer(event.peer.id) !== undefined)) listener(event);
        else if (wire === this.wireOf(event.peer.id) && event.kind !== "peerConnected") listener(event);
      }),
    );
    return () => {
      for (const stop of stops) stop();
    };
  }

  protected requestsTo(peer: PeerId): PeerRequests {
    return this.wireOf(peer);
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.wireOf(peer).report(peer, event, detail);
  }

  noteBest(peer: PeerId, number: number, hash: Uint8Array, totalDifficulty: bigint): void {
    this.wireOf(peer).noteBest(peer, number, hash, totalDifficulty);
  }

  setGossipHandlers(handlers: GossipHandlers): void {
    for (const wire of this.wires) wire.setGossipHandlers(this.relaying(handlers, wire));
  }

  async publishBlock(encoded: Uint8Array): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.publishBlock(encoded)));
  }

  async publishBlockHash(announcement: BlockAnnouncement): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.publishBlockHash(announcement)));
  }

  async publishTransactions(encoded: readonly Uint8Array[]): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.publishTransactions(encoded)));
  }

  async relayPending(encoded: readonly Uint8Array[]): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.relayPending(encoded)));
  }

  async dial(address: string): Promise<Peer> {
    const wire = this.wires.find((one) => one.canDial(address));
    if (wire !== undefined) return wire.dial(address);
    const reason = `${address} is neither a multiaddr nor an enode URL`;
    throw new NetworkingError({ code: "INVALID_OPTION", option: "peer", reason });
  }

  change(changes: PeerChanges): void {
    // The first wire refuses changes that are invalid for any wire.
    for (const wire of this.wires) wire.change(changes);
  }

  async disconnect(peer: PeerId): Promise<void> {
    await this.wireOf(peer).disconnect(peer);
  }

  async stop(): Promise<void> {
    await Promise.all(this.wires.map((wire) => wire.stop()));
  }

  /** Returns the first wire for a peer that is not connected, because that wire reports the error. */
  private wireOf(peer: PeerId): Wire {
    return this.wires.find((wire) => wire.peer(peer) !== undefined) ?? this.wires[0];
  }

  private endDuplicates(peer: PeerId): void {
    const [, ...surplus] = this.wires.filter((wire) => wire.peer(peer) !== undefined);
    for (const wire of surplus) void wire.disconnect(peer);
  }

  private relaying(handlers: GossipHandlers, from: Wire): GossipHandlers {
    const others = this.wires.filter((wire) => wire !== from);
    const relay = (verdict: Verdict, send: (wire: Wire) => Promise<void>) => {
      if (verdict === "accept") for (const wire of others) void send(wire);
      return verdict;
    };
    return {
      block: async (encoded, peer) => {
        const { verdict, block } = await handlers.block(encoded, peer);
        if (block !== undefined) relay(verdict, (wire) => wire.relayBlock(block, encoded));
        return { verdict, block };
      },
      // An announcement is accepted once its block is stored.
      blockHash: async (announcement, peer) =>
        relay(await handlers.blockHash(announcement, peer), async (wire) => {
          const encoded = this.parts.encodedBlock(announcement.hash);
          if (encoded !== undefined) await wire.relayBlock(announcement, encoded);
        }),
      isStored: async (hash) => (await handlers.isStored?.(hash)) ?? true,
      transactions: async (encoded, peer) =>
        relay(await handlers.transactions(encoded, peer), (wire) => wire.relayTransactions(encoded)),
    };
  }
}
