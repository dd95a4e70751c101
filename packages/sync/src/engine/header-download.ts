import type { Peer, PeerId, PeerNetwork, ScoringEvent } from "@cambium/networking";
import { equalBytes, toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { SyncChain } from "../interface.js";
import type { HeaderVerifier, Refusal } from "./header-verifier.js";
import type { PeerChoice } from "./peer-choice.js";
import type { PeerDesk, Place } from "./peer-desk.js";
import {
  askSkeleton,
  chooseSegments,
  type Segment,
  SKELETON_STEP,
  type SkeletonOffer,
  skeletonFault,
} from "./skeleton.js";

/** Peers whose skeletons are compared (`spec/07 §D.7`, 3). */
const SKELETON_PEERS = 3;
/** Chunks under way or waiting to be verified. */
const PARALLEL_CHUNKS = 8;
/** Peers that may fail to send a chunk before the attempt ends. */
const CHUNK_ATTEMPTS = 8;

export interface HeaderDownloadModules {
  chain: Pick<SyncChain, "headerByHash" | "isKnownInvalid">;
  network: Pick<PeerNetwork, "skeleton" | "headers" | "peer">;
  desk: PeerDesk;
  choice: PeerChoice;
  verifier: HeaderVerifier;
}

/** Headers that passed every check, ascending, on top of those before. */
export interface VerifiedHeaders {
  headers: readonly BlockHeader[];
  /** Whose skeletons contain them. */
  sources: readonly PeerId[];
}

/** Part of a chunk as one peer sent it. */
interface Piece {
  from: PeerId;
  /** Descending. */
  headers: readonly BlockHeader[];
}

/** Headers above a block that we have, as the skeletons of up to three peers outline them. */
export class HeaderDownload {
  private top: BlockHeader;
  /** Tops of verified segments that may not be imported yet. */
  private readonly passed = new Set<string>();
  /** Height of the block that the round's skeletons began at. */
  private roundStart = 0;
  private followed: readonly PeerId[] = [];

  constructor(
    private readonly modules: HeaderDownloadModules,
    private readonly target: Peer,
    connectionPoint: BlockHeader,
  ) {
    this.top = connectionPoint;
  }

  /** Last verified header. */
  get reached(): BlockHeader {
    return this.top;
  }

  /** Whose word the blocks under way rest on: those to turn away from when they cannot be had. */
  get leaders(): readonly PeerId[] {
    return this.followed;
  }

  /**
   * One skeleton's worth of headers, at most twenty chunks; none when the peers have nothing above. A consumer that
   * waits holds the download back: at most eight chunks are ahead of it. Rejects with {@link SyncError}, after whoever
   * is to blame was reported.
   */
  async *round(signal: AbortSignal): AsyncGenerator<VerifiedHeaders> {
    const start = this.top.number;
    const segments = await this.segments(signal);
    this.roundStart = start;
    // What is under way when this ends early must not go on.
    const scope = new AbortController();
    const stop = () => scope.abort(signal.reason);
    signal.addEventListener("abort", stop);
    try {
      const chunks: Promise<Piece[]>[] = [];
      const bottoms = segments.map((_, i) => segments[i - 1]?.top.number ?? start);
      for (const [i, segment] of segments.entries()) {
        for (let ahead = chunks.length; ahead < Math.min(segments.length, i + PARALLEL_CHUNKS); ahead++) {
          const chunk = this.download(segments[ahead]!, bottoms[ahead]!, ahead, scope.signal);
          chunk.catch(() => undefined);
          chunks.push(chunk);
        }
        const chunk = chunks[i]!;
        this.followed = segment.sources;
        // Nothing refers to it any more once it was handed on.
        chunks[i] = Promise.resolve([]);
        yield await this.verified(segment, chunk, bottoms[i]!, scope.signal);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      scope.abort(new SyncError({ code: "STOPPED" }));
    }
  }

  private async segments(signal: AbortSignal): Promise<Segment[]> {
    const offers = await Promise.all(this.skeletonPeers().map((peer) => this.offer(peer, signal)));
    signal.throwIfAborted();
    const usable = offers.filter((offer) => offer !== undefined);
    if (usable.length === 0) throw new SyncError({ code: "SKELETON", reason: "nobody offers one" });
    return chooseSegments(usable, this.top.number);
  }

  /** The target, and those with the highest claims besides it; no voice for those who led astray lately. */
  private skeletonPeers(): Peer[] {
    const { desk, network, choice } = this.modules;
    const target = desk.isUsable(this.target.id) ? network.peer(this.target.id) : undefined;
    const others = choice
      .unfailed(desk.peers())
      .filter(({ id, status }) => id !== this.target.id && status.bestNumber > this.top.number);
    return (target === undefined ? others : [target, ...others]).slice(0, SKELETON_PEERS);
  }

  /** Undefined for a peer that has none to offer, or one of another branch than what is verified. */
  private async offer(peer: Peer, signal: AbortSignal): Promise<SkeletonOffer | undefined> {
    const { desk, chain } = this.modules;
    const start = this.top.number;
    let offer: SkeletonOffer;
    try {
      offer = await askSkeleton(peer, start, this.modules, signal);
    } catch {
      return undefined;
    }
    const fault = skeletonFault(offer.entries, start);
    if (fault !== undefined) {
      desk.exclude(peer.id, "INVALID_MESSAGE", `skeleton: ${fault}`);
      return undefined;
    }
    if (offer.entries.some(({ hash }) => chain.isKnownInvalid(hash))) {
      desk.exclude(peer.id, "INVALID_BLOCK", "skeleton with a block known to be invalid");
      return undefined;
    }
    return this.isOfThisBranch(offer) ? offer : undefined;
  }

  private isOfThisBranch({ entries }: SkeletonOffer): boolean {
    const first = entries[0];
    if (first === undefined) return false;
    if (first.number === this.top.number) return equalBytes(first.hash, this.top.hash);
    return this.passed.has(toHex(first.hash)) || this.modules.chain.headerByHash(first.hash) !== undefined;
  }

  private async verified(
    segment: Segment,
    chunk: Promise<Piece[]>,
    bottom: number,
    signal: AbortSignal,
  ): Promise<VerifiedHeaders> {
    for (let pieces = await chunk; ; pieces = await this.download(segment, bottom, 0, signal)) {
      const headers = pieces.flatMap((piece) => piece.headers).reverse();
      const refusal = await this.modules.verifier.verify(this.top, headers, signal);
      if (refusal === undefined) {
        this.top = headers.at(-1)!;
        this.passed.add(toHex(this.top.hash));
        return { headers, sources: segment.sources };
      }
      this.blame(refusal, headers, pieces, segment);
    }
  }

  /** Reports whoever is to blame; throws where asking others for the same headers could not help. */
  private blame(refusal: Refusal, headers: readonly BlockHeader[], pieces: readonly Piece[], segment: Segment): void {
    const { desk } = this.modules;
    const header = headers[refusal.index]!;
    const { problem, detail } = refusal;
    switch (problem) {
      case "PARENT_HASH":
        // Links inside a chunk were checked on arrival: this is its lower border. The skeletons promised it, unless they
        // began below it, and a peer may have changed its chain since the round before.
        if (this.top.number > this.roundStart || this.top.number % SKELETON_STEP === 0) {
          this.blameSources(segment, "INVALID_MESSAGE", `skeleton: block ${header.number} does not follow`);
        }
        throw new SyncError({ code: "SKELETON_BROKEN", number: header.number });
      case "KNOWN_INVALID":
        this.blameSources(segment, "INVALID_BLOCK", detail);
        throw new SyncError({ code: "KNOWN_INVALID", hash: header.hash });
      case "CHECKPOINT":
        this.blameSources(segment, "INVALID_HEADER", detail);
        throw new SyncError({ code: "CHECKPOINT", number: header.number });
      case "TIMESTAMP_FUTURE":
        // Clocks differ.
        throw new SyncError({ code: "NOT_JUDGED", number: header.number, fault: problem });
      default:
        desk.exclude(senderOf(pieces, header), "INVALID_HEADER", `block ${header.number}: ${detail}`);
    }
  }

  private blameSources(segment: Segment, event: ScoringEvent, detail: string): void {
    for (const id of segment.sources) this.modules.desk.exclude(id, event, detail);
  }

  /** All headers from the segment's top down to above `bottom`, from as many peers as it takes. */
  private async download(segment: Segment, bottom: number, turn: number, signal: AbortSignal): Promise<Piece[]> {
    const pieces: Piece[] = [];
    const failed = new Set<PeerId>();
    let next = segment.top.hash;
    let number = segment.top.number;
    while (number > bottom) {
      const candidates = () => this.candidates(segment, turn, failed);
      const question = { kind: "headers", cost: number - bottom, signal } as const;
      const place = failed.size < CHUNK_ATTEMPTS ? await this.modules.desk.reserve(candidates, question) : undefined;
      if (place === undefined) throw new SyncError({ code: "HEADERS_UNAVAILABLE", number });
      const headers = await this.piece(place, next, number - bottom, signal);
      if (headers.length === 0) {
        failed.add(place.peer);
        continue;
      }
      if (headers[0]!.number !== number) {
        this.blameSources(segment, "INVALID_MESSAGE", `skeleton: block of number ${headers[0]!.number} at ${number}`);
        throw new SyncError({ code: "SKELETON_BROKEN", number });
      }
      pieces.push({ from: place.peer, headers });
      number -= headers.length;
      next = headers.at(-1)!.parentHash;
    }
    return pieces;
  }

  /** Who may have the segment: first those whose skeletons contain it, each chunk beginning with another one. */
  private candidates(segment: Segment, turn: number, failed: ReadonlySet<PeerId>): PeerId[] {
    const { sources, top } = segment;
    const others = this.modules.desk
      .peers()
      .filter(({ id, status }) => status.bestNumber >= top.number && !sources.includes(id))
      .map(({ id }) => id);
    const offset = turn % sources.length;
    const order = [...sources.slice(offset), ...sources.slice(0, offset), ...others];
    return order.filter((id) => !failed.has(id));
  }

  /** Linked headers downwards from a hash; none when the peer failed, which then was dealt with. */
  private async piece(
    place: Place,
    hash: Uint8Array,
    count: number,
    signal: AbortSignal,
  ): Promise<readonly BlockHeader[]> {
    const { desk, network } = this.modules;
    try {
      const question = { kind: "headers", cost: count, signal } as const;
      const headers = await desk.askAt(place, question, (inner) => network.headers(place.peer, hash, count, inner));
      const fault = linkFault(headers, hash, count);
      if (fault === undefined) return headers;
      desk.exclude(place.peer, "INVALID_MESSAGE", `headers: ${fault}`);
    } catch {
      // The desk has noted it; another peer is asked.
      signal.throwIfAborted();
    }
    return [];
  }
}

/** Why these are not the headers from `hash` downwards, or undefined. */
export function linkFault(headers: readonly BlockHeader[], hash: Uint8Array, count: number): string | undefined {
  if (headers.length > count) return "more than asked for";
  let expected = hash;
  for (const [i, header] of headers.entries()) {
    if (!equalBytes(header.hash, expected)) return `header ${i} is not the one asked for`;
    const above = headers[i - 1];
    if (above !== undefined && header.number !== above.number - 1) return `header ${i} has number ${header.number}`;
    expected = header.parentHash;
  }
  return undefined;
}

function senderOf(pieces: readonly Piece[], header: BlockHeader): PeerId {
  return pieces.find(({ headers }) => headers.includes(header))!.from;
}
