import { type BlockId, type Peer, type PeerId, type PeerNetwork, SKELETON_STEP } from "@cambium/networking";
import { toHex } from "@cambium/primitives";
import type { PeerCoordinator } from "./peer-coordinator.js";

/** Number of entries: one at or below the start, and twenty chunks. */
const SKELETON_ENTRIES = 21;

/** The outline of a chain as one peer claims it; it proves nothing. */
export interface SkeletonOffer {
  peer: Peer;
  /** Entries in ascending order. */
  entries: readonly BlockId[];
}

/** The blocks above the top of the previous segment, up to the top of this one. */
export interface Segment {
  top: BlockId;
  /** Peers whose skeletons contain this segment and all segments below. */
  sources: readonly PeerId[];
}

/** Requests the skeleton of one peer. Rejects with the error of the request. */
export async function askSkeleton(
  peer: Peer,
  start: number,
  { network, coordinator }: { network: Pick<PeerNetwork, "skeleton">; coordinator: PeerCoordinator },
  signal: AbortSignal,
): Promise<SkeletonOffer> {
  const request = { kind: "skeleton", cost: 1, signal } as const;
  const entries = await coordinator.ask(peer.id, request, (inner) =>
    network.skeleton(peer.id, start, SKELETON_ENTRIES, inner),
  );
  return { peer, entries };
}

/** Returns the reason why no honest peer sends these entries for this start; undefined if one may. */
export function skeletonFault(entries: readonly BlockId[], start: number): string | undefined {
  if (entries.length > SKELETON_ENTRIES) return "more entries than requested";
  const lowest = start - (start % SKELETON_STEP);
  for (const [i, { number }] of entries.entries()) {
    const isAligned = number === lowest + i * SKELETON_STEP;
    if (isAligned) continue;
    const isLast = i === entries.length - 1;
    const isBest = number > lowest + (i - 1) * SKELETON_STEP && number < lowest + i * SKELETON_STEP;
    if (!(isLast && i > 0 && isBest)) return `entry ${i} has number ${number}`;
  }
  return undefined;
}

/**
 * Chooses the chain to follow above `start`, from offers in order of preference. At each height it takes the block of a
 * majority, or else that of the first offer. Offers with another block are dropped from that height on. The last block,
 * which is each peer's own best, is that of the first remaining offer.
 */
export function chooseSegments(offers: readonly SkeletonOffer[], start: number): Segment[] {
  let followed = offers;
  const segments: Segment[] = [];
  for (;;) {
    const above = segments.at(-1)?.top.number ?? start;
    const leaderNext = next(followed[0], above);
    if (leaderNext === undefined) return segments;
    const agreed = mostAgree(followed, leaderNext.number) ?? leaderNext;
    followed = followed.filter((offer) => hashAt(offer, agreed.number) === toHex(agreed.hash));
    segments.push({ top: agreed, sources: followed.map(({ peer }) => peer.id) });
  }
}

function next(offer: SkeletonOffer | undefined, above: number): BlockId | undefined {
  return offer?.entries.find(({ number }) => number > above);
}

/** Returns the block at this height in more than half of the offers that reach it, and at least two. */
function mostAgree(offers: readonly SkeletonOffer[], number: number): BlockId | undefined {
  const votes = new Map<string, { block: BlockId; count: number }>();
  let voters = 0;
  for (const { entries } of offers) {
    const block = entries.find((entry) => entry.number === number);
    if (block === undefined) continue;
    voters++;
    const key = toHex(block.hash);
    votes.set(key, { block, count: (votes.get(key)?.count ?? 0) + 1 });
  }
  const winner = [...votes.values()].find(({ count }) => count >= 2 && count * 2 > voters);
  return winner?.block;
}

function hashAt(offer: SkeletonOffer, number: number): string | undefined {
  const block = offer.entries.find((entry) => entry.number === number);
  return block === undefined ? undefined : toHex(block.hash);
}
