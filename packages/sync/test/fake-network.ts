import type { Chain } from "@cambium/chain";
import {
  type BlockBody,
  type BlockId,
  type NetworkEvent,
  NetworkingError,
  type Peer,
  type PeerId,
  type PeerNetwork,
  type PeerStatus,
  type RequestRates,
  type ScoringEvent,
} from "@cambium/networking";
import { encodeRlp, RawRlp } from "@cambium/primitives";
import { network as chainNetwork } from "@cambium/test-utils/mined-chains";
import { UNLIMITED } from "@cambium/test-utils/peers/peer-capabilities";
import { BlockHeader } from "@cambium/types";

/** Responses to the requests of synchronisation; a misbehaving peer has its own versions of some. */
export interface Answers {
  hashes(heights: readonly number[], signal?: AbortSignal): Promise<readonly (Uint8Array | undefined)[]>;
  skeleton(start: number, count: number, signal?: AbortSignal): Promise<readonly BlockId[]>;
  headers(hash: Uint8Array, count: number, signal?: AbortSignal): Promise<readonly BlockHeader[]>;
  bodies(hashes: readonly Uint8Array[], signal?: AbortSignal): AsyncIterable<BlockBody | undefined>;
}

const STEP = 192;

/** Responds from a chain like a well-behaved peer. */
export class HonestAnswers implements Answers {
  constructor(readonly chain: Chain) {}

  async hashes(heights: readonly number[]) {
    return heights.map((height) => this.chain.hashByNumber(height));
  }

  async skeleton(start: number, count: number): Promise<readonly BlockId[]> {
    const best = this.chain.best().header.number;
    const first = start - (start % STEP);
    const last = Math.min(best, first + (count - 1) * STEP);
    if (start > best) throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "skeleton" });
    const entries: BlockId[] = [];
    for (let number = first; number < last; number += STEP) {
      entries.push({ number, hash: this.chain.hashByNumber(number)! });
    }
    return [...entries, { number: last, hash: this.chain.hashByNumber(last)! }];
  }

  async headers(hash: Uint8Array, count: number) {
    const headers: BlockHeader[] = [];
    for (let next = this.chain.headerByHash(hash); next !== undefined && headers.length < count; ) {
      headers.push(BlockHeader.decode(next.encode("compressed"), chainNetwork, "compressed"));
      next = this.chain.headerByHash(next.parentHash);
    }
    if (headers.length === 0) throw new NetworkingError({ code: "NOT_AVAILABLE", protocol: "headers" });
    return headers;
  }

  async *bodies(hashes: readonly Uint8Array[]): AsyncGenerator<BlockBody | undefined> {
    for (const hash of hashes) {
      await new Promise(setImmediate);
      yield this.body(hash);
    }
  }

  body(hash: Uint8Array): BlockBody | undefined {
    const block = this.chain.blockByHash(hash);
    if (block === undefined) return undefined;
    return {
      hash,
      transactions: block.transactions.map(({ encoded }) => encoded),
      uncles: encodeRlp(block.uncles.map((uncle) => new RawRlp(uncle.encode("full")))),
      extension: block.header.version === 0 ? undefined : block.header.encodeExtension(),
    };
  }
}

interface Connected {
  peer: Peer & { status: PeerStatus };
  answers: Answers;
}

/** Peers in this process. A peer is disconnected when it is reported for an offence that ends a connection. */
export class FakeNetwork
  implements
    Pick<PeerNetwork, "ownId" | "peers" | "peer" | "on" | "hashes" | "skeleton" | "headers" | "bodies" | "report">
{
  readonly ownId = "self";
  readonly reports: { peer: PeerId; event: ScoringEvent; detail: string | undefined }[] = [];
  /** Every request: its peer, kind and number of items. */
  readonly requests: { peer: PeerId; kind: keyof Answers; count: number }[] = [];
  readonly inProgress = new Map<PeerId, number>();
  mostUnderWay = 0;
  private readonly connected = new Map<PeerId, Connected>();
  private readonly listeners = new Set<(event: NetworkEvent) => void>();

  /** The interface that the package under test uses. */
  get api(): PeerNetwork {
    return this as unknown as PeerNetwork;
  }

  /** Connects a peer with a chain; `own` replaces responses, and `status` claims. */
  add(
    id: PeerId,
    chain: Chain,
    own: Partial<Answers> = {},
    status: Partial<PeerStatus> = {},
    direction: Peer["direction"] = "outbound",
  ): HonestAnswers {
    const honest = new HonestAnswers(chain);
    const answers: Answers = {
      hashes: own.hashes ?? ((heights) => honest.hashes(heights)),
      skeleton: own.skeleton ?? ((start, count) => honest.skeleton(start, count)),
      headers: own.headers ?? ((hash, count) => honest.headers(hash, count)),
      bodies: own.bodies ?? ((hashes) => honest.bodies(hashes)),
    };
    const peer: Connected["peer"] = {
      id,
      address: { ip: "10.0.0.1", port: 1 },
      direction,
      wire: "libp2p",
      capabilities: UNLIMITED,
      isTrusted: false,
      status: { ...statusOf(chain), ...status },
    };
    this.connected.set(id, { peer, answers });
    this.emit({ kind: "peerConnected", peer });
    return honest;
  }

  setRates(id: PeerId, rates: RequestRates): void {
    Object.assign(this.connected.get(id)!.peer, { capabilities: { ...UNLIMITED, rates } });
  }

  /** Makes the peer announce the best block of its chain. */
  refresh(id: PeerId, chain: Chain): void {
    const { peer } = this.connected.get(id)!;
    Object.assign(peer.status, statusOf(chain));
    this.emit({ kind: "peerStatus", peer });
  }

  remove(id: PeerId): void {
    const peer = this.connected.get(id)?.peer;
    if (peer === undefined) return;
    this.connected.delete(id);
    this.emit({ kind: "peerDisconnected", peer });
  }

  peers(): readonly Peer[] {
    return [...this.connected.values()].map(({ peer }) => peer);
  }

  peer(id: PeerId): Peer | undefined {
    return this.connected.get(id)?.peer;
  }

  on(listener: (event: NetworkEvent) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  hashes(peer: PeerId, heights: readonly number[], signal?: AbortSignal) {
    return this.request(peer, "hashes", heights.length, (answers) => answers.hashes(heights, signal));
  }

  skeleton(peer: PeerId, start: number, count: number, signal?: AbortSignal) {
    return this.request(peer, "skeleton", 1, (answers) => answers.skeleton(start, count, signal));
  }

  headers(peer: PeerId, hash: Uint8Array, count: number, signal?: AbortSignal) {
    return this.request(peer, "headers", count, (answers) => answers.headers(hash, count, signal));
  }

  async *bodies(peer: PeerId, hashes: readonly Uint8Array[], signal?: AbortSignal) {
    const answers = this.begin(peer, "bodies", hashes.length);
    try {
      for await (const body of answers.bodies(hashes, signal)) {
        if (!this.connected.has(peer)) throw new NetworkingError({ code: "DISCONNECTED", peer });
        yield body;
      }
    } finally {
      this.end(peer);
    }
  }

  report(peer: PeerId, event: ScoringEvent, detail?: string): void {
    this.reports.push({ peer, event, detail });
    if (event.startsWith("INVALID")) this.remove(peer);
  }

  /** Events for which a peer was reported. */
  reported(id: PeerId): ScoringEvent[] {
    return this.reports.filter(({ peer }) => peer === id).map(({ event }) => event);
  }

  private async request<T>(
    peer: PeerId,
    kind: keyof Answers,
    count: number,
    ask: (answers: Answers) => Promise<T>,
  ): Promise<T> {
    const answers = this.begin(peer, kind, count);
    try {
      return await ask(answers);
    } finally {
      this.end(peer);
    }
  }

  private begin(peer: PeerId, kind: keyof Answers, count: number): Answers {
    const connected = this.connected.get(peer);
    if (connected === undefined) throw new NetworkingError({ code: "DISCONNECTED", peer });
    this.requests.push({ peer, kind, count });
    const inProgress = (this.inProgress.get(peer) ?? 0) + 1;
    this.inProgress.set(peer, inProgress);
    this.mostUnderWay = Math.max(this.mostUnderWay, inProgress);
    return connected.answers;
  }

  private end(peer: PeerId): void {
    this.inProgress.set(peer, this.inProgress.get(peer)! - 1);
  }

  private emit(event: NetworkEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

export function statusOf(chain: Chain): PeerStatus {
  const { header, hash, totalDifficulty } = chain.best();
  return {
    bestNumber: header.number,
    bestHash: hash,
    totalDifficulty,
    earliestBody: 0,
    clientId: "test",
  };
}
