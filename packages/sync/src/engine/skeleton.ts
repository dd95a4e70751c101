import type { BlockId, Peer, PeerId, PeerNetwork } from "@cambium/networking";
import { toHex } from "@cambium/primitives";
import type { PeerDesk } from "./peer-desk.js";

/** Blocks between two entries (`spec/07 §B.0`). */
export const SKELETON_STEP = 192;
/** One entry at or below the start and twenty chunks. */
const SKELETON_ENTRIES = 21;

/** What one peer says its chain looks like. Nothing is proven by it. */
export interface SkeletonOffer {
  peer: Peer;
  /** Ascending. */
  entries: readonly BlockId[];
}

/** The blocks above the previous segment's top, up to this one's. */
export interface Segment {
  top: BlockId;
  /** Who said that it is part of the chain, and of all segments below. */
  sources: readonly PeerId[];
}

/** Asks one peer. Rejects as the network does. */
export async function askSkeleton(
  peer: Peer,
  start: number,
  { network, desk }: { network: Pick<PeerNetwork, "skeleton">; desk: PeerDesk },
  signal: AbortSignal,
): Promise<SkeletonOffer> {
  const question = { kind: "skeleton", cost: 1, signal } as const;
  const entries = await desk.ask(peer.id, question, (inner) =>
    network.skeleton(peer.id, start, SKELETON_ENTRIES, inner),
  );
  return { peer, entries };
}

/** Why no honest peer can have sent the entries for this start, or undefined. */
export function skeletonFault(entries: readonly BlockId[], start: number): string | undefined {
  if (entries.length > SKELETON_ENTRIES) return "more entries than asked for";
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
 * The chain to follow above `start`, from offers in the order of preference. Where most of them agree on a block it is
 * taken; else the first one's. Who offers another block is out from there on. The last block, which is each peer's own
 * best, is that of the first one left.
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

/** The block at this height that more than half of the offers which reach it agree on, two at least. */
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
