import { type Peer, type PeerId, type PeerNetwork, type ScoringEvent, SKELETON_STEP } from "@cambium/networking";
import { equalBytes, toHex } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { SyncChain } from "../interface.js";
import type { HeaderRefusal, HeaderVerifier } from "../shared/header-verifier.js";
import type { PeerChoice } from "./peer-choice.js";
import type { PeerCoordinator, Reservation } from "./peer-coordinator.js";
import { askSkeleton, chooseSegments, type Segment, type SkeletonOffer, skeletonFault } from "./skeleton.js";

/** Number of peers whose skeletons are compared (`spec/07 §D.7`, 3). */
const SKELETON_PEERS = 3;
/** Number of chunks being downloaded or waiting for verification. */
const PARALLEL_CHUNKS = 8;
/** Number of peers that may fail to send a chunk before the attempt ends. */
const CHUNK_ATTEMPTS = 8;

export interface HeaderDownloadParts {
  chain: Pick<SyncChain, "headerByHash" | "isKnownInvalid">;
  network: Pick<PeerNetwork, "skeleton" | "headers" | "peer">;
  coordinator: PeerCoordinator;
  choice: PeerChoice;
  verifier: HeaderVerifier;
}

/** Headers that passed every check, ascending, following the previous ones. */
export interface VerifiedHeaders {
  headers: readonly BlockHeader[];
  /** Peers whose skeletons contain them. */
  sources: readonly PeerId[];
}

/** Part of a chunk as one peer sent it. */
interface Piece {
  from: PeerId;
  /** Headers in descending order. */
  headers: readonly BlockHeader[];
}

/** Downloads headers above a stored block, along the skeletons of up to three peers. */
export class HeaderDownload {
  private top: BlockHeader;
  /** Tops of verified segments, which may not be imported. */
  private readonly passed = new Set<string>();
  /** Height at which the skeletons of the round begin. */
  private roundStart = 0;
  private followed: readonly PeerId[] = [];

  constructor(
    private readonly parts: HeaderDownloadParts,
    private readonly target: Peer,
    connectionPoint: BlockHeader,
  ) {
    this.top = connectionPoint;
  }

  /** The last verified header. */
  get reached(): BlockHeader {
    return this.top;
  }

  /** Peers whose skeletons contain the present blocks: they failed if the blocks cannot be downloaded. */
  get leaders(): readonly PeerId[] {
    return this.followed;
  }

  /**
   * Yields the headers of one skeleton, at most twenty chunks; none if the peers have nothing above. A slow consumer
   * slows the download: at most eight chunks are ahead of it. Rejects with {@link SyncError} after the peers at fault
   * were reported.
   */
  async *round(signal: AbortSignal): AsyncGenerator<VerifiedHeaders> {
    const start = this.top.number;
    const segments = await this.segments(signal);
    this.roundStart = start;
    // Requests must not continue when the generator ends early.
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
        // Frees the memory once the chunk was consumed.
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
    if (usable.length === 0) throw new SyncError({ code: "SKELETON", reason: "no peer offers one" });
    return chooseSegments(usable, this.top.number);
  }

  /** Returns the target and the peers with the highest claims, without those that failed recently. */
  private skeletonPeers(): Peer[] {
    const { coordinator, network, choice } = this.parts;
    const target = coordinator.isUsable(this.target.id) ? network.peer(this.target.id) : undefined;
    const others = choice
      .unfailed(coordinator.slow.quickOf(coordinator.peers(), ({ id }) => id))
      .filter(({ id, status }) => id !== this.target.id && status.bestNumber > this.top.number);
    return (target === undefined ? others : [target, ...others]).slice(0, SKELETON_PEERS);
  }

  /** Requests a skeleton. Undefined if the peer offers none, or one of another branch than the verified headers. */
  private async offer(peer: Peer, signal: AbortSignal): Promise<SkeletonOffer | undefined> {
    const { coordinator, chain } = this.parts;
    const start = this.top.number;
    let offer: SkeletonOffer;
    try {
      offer = await askSkeleton(peer, start, this.parts, signal);
    } catch {
      return undefined;
    }
    const fault = skeletonFault(offer.entries, start);
    if (fault !== undefined) {
      coordinator.exclude(peer.id, "INVALID_MESSAGE", `skeleton: ${fault}`);
      return undefined;
    }
    if (offer.entries.some(({ hash }) => chain.isKnownInvalid(hash))) {
      coordinator.exclude(peer.id, "INVALID_BLOCK", "its skeleton has a block that is known to be invalid");
      return undefined;
    }
    return this.isOfThisBranch(offer) ? offer : undefined;
  }

  private isOfThisBranch({ entries }: SkeletonOffer): boolean {
    const first = entries[0];
    if (first === undefined) return false;
    if (first.number === this.top.number) return equalBytes(first.hash, this.top.hash);
    return this.passed.has(toHex(first.hash)) || this.parts.chain.headerByHash(first.hash) !== undefined;
  }

  private async verified(
    segment: Segment,
    chunk: Promise<Piece[]>,
    bottom: number,
    signal: AbortSignal,
  ): Promise<VerifiedHeaders> {
    for (let pieces = await chunk; ; pieces = await this.download(segment, bottom, 0, signal)) {
      const headers = pieces.flatMap((piece) => piece.headers).reverse();
      const refusal = await this.parts.verifier.verify(this.top, headers, signal);
      if (refusal === undefined) {
        this.top = headers.at(-1)!;
        this.passed.add(toHex(this.top.hash));
        return { headers, sources: segment.sources };
      }
      this.blame(refusal, headers, pieces, segment);
    }
  }

  /** Reports the peers at fault; throws if requesting the same headers from others cannot help. */
  private blame(
    refusal: HeaderRefusal,
    headers: readonly BlockHeader[],
    pieces: readonly Piece[],
    segment: Segment,
  ): void {
    const { coordinator } = this.parts;
    const header = headers[refusal.index]!;
    const { problem, detail } = refusal;
    switch (problem) {
      case "PARENT_HASH":
        // Links within a chunk were checked on arrival, so the fault is at its lower end. The skeletons contain that
        // block unless they begin below it: a peer may have changed its chain since the previous round.
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
        // Clocks differ, so the peers are not at fault.
        throw new SyncError({ code: "NOT_JUDGED", number: header.number, fault: problem });
      default:
        coordinator.exclude(senderOf(pieces, header), "INVALID_HEADER", `block ${header.number}: ${detail}`);
    }
  }

  private blameSources(segment: Segment, event: ScoringEvent, detail: string): void {
    for (const id of segment.sources) this.parts.coordinator.exclude(id, event, detail);
  }

  /** Downloads all headers from the segment's top down to above `bottom`, from as many peers as needed. */
  private async download(segment: Segment, bottom: number, turn: number, signal: AbortSignal): Promise<Piece[]> {
    const pieces: Piece[] = [];
    const failed = new Set<PeerId>();
    let next = segment.top.hash;
    let number = segment.top.number;
    while (number > bottom) {
      const candidates = () => this.candidates(segment, turn, failed);
      const request = { kind: "headers", cost: number - bottom, signal } as const;
      const reservation =
        failed.size < CHUNK_ATTEMPTS ? await this.parts.coordinator.reserve(candidates, request) : undefined;
      if (reservation === undefined) throw new SyncError({ code: "HEADERS_UNAVAILABLE", number });
      const headers = await this.piece(reservation, next, number - bottom, signal);
      if (headers.length === 0) {
        failed.add(reservation.peer);
        continue;
      }
      if (headers[0]!.number !== number) {
        this.blameSources(segment, "INVALID_MESSAGE", `skeleton: block of number ${headers[0]!.number} at ${number}`);
        throw new SyncError({ code: "SKELETON_BROKEN", number });
      }
      pieces.push({ from: reservation.peer, headers });
      number -= headers.length;
      next = headers.at(-1)!.parentHash;
    }
    return pieces;
  }

  /** Returns peers that may have the segment: first those whose skeletons contain it, rotated for each chunk. */
  private candidates(segment: Segment, turn: number, failed: ReadonlySet<PeerId>): PeerId[] {
    const { sources, top } = segment;
    const others = this.parts.coordinator
      .peers()
      .filter(({ id, status }) => status.bestNumber >= top.number && !sources.includes(id))
      .map(({ id }) => id);
    const offset = turn % sources.length;
    const order = [...sources.slice(offset), ...sources.slice(0, offset), ...others];
    const { coordinator } = this.parts;
    const untried = order.filter((id) => !failed.has(id) && coordinator.isUsable(id));
    // Waiting for a quick but busy peer is worthwhile.
    return [...coordinator.slow.quickOf(untried, (id) => id)];
  }

  /** Returns linked headers, descending from a hash; none if the peer failed, which was then reported or paused. */
  private async piece(
    reservation: Reservation,
    hash: Uint8Array,
    count: number,
    signal: AbortSignal,
  ): Promise<readonly BlockHeader[]> {
    const { coordinator, network } = this.parts;
    try {
      const request = { kind: "headers", cost: count, signal } as const;
      const headers = await coordinator.askAt(reservation, request, (inner) =>
        network.headers(reservation.peer, hash, count, inner),
      );
      const fault = linkFault(headers, hash, count);
      if (fault === undefined) {
        // An honest peer sends all: they are linked to a block that it has offered.
        if (headers.length < count) coordinator.slow.note(reservation.peer);
        return headers;
      }
      coordinator.exclude(reservation.peer, "INVALID_MESSAGE", `headers: ${fault}`);
    } catch {
      // The coordinator has recorded the failure; another peer gets the request.
      signal.throwIfAborted();
    }
    return [];
  }
}

/** Returns the reason why these are not the headers descending from `hash`; undefined if they are. */
export function linkFault(headers: readonly BlockHeader[], hash: Uint8Array, count: number): string | undefined {
  if (headers.length > count) return "more than requested";
  let expected = hash;
  for (const [i, header] of headers.entries()) {
    if (!equalBytes(header.hash, expected)) return `header ${i} is not the requested one`;
    const above = headers[i - 1];
    if (above !== undefined && header.number !== above.number - 1) return `header ${i} has number ${header.number}`;
    expected = header.parentHash;
  }
  return undefined;
}

function senderOf(pieces: readonly Piece[], header: BlockHeader): PeerId {
  return pieces.find(({ headers }) => headers.includes(header))!.from;
}
