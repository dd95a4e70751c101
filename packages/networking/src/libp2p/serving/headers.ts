import type { ChainReader } from "@cambium/chain";
import type { BlockHeader } from "@cambium/types";
import type { BlockId } from "../../interface.js";
import type { ServedSources } from "../../served-sources.js";
import type { HeadersRequest } from "../wire/headers.js";
import { SKELETON_STEP } from "../wire/limits.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import type { SkeletonRequest } from "../wire/skeleton.js";
import { answer } from "./answer.js";

/** Not available above the best block and below the lowest one. */
export function serveSkeleton({ chain }: ServedSources): Responder<SkeletonRequest, readonly BlockId[]> {
  return (request) => [answer(skeleton(chain, request))];
}

/** `spec/07 §B.5`: b, b + 192, … below m, then m, where m is the last requested height or the best block. */
function skeleton(chain: ChainReader, { start, count }: SkeletonRequest): BlockId[] | undefined {
  const best = chain.best().header.number;
  if (start > best) return undefined;
  const first = start - (start % SKELETON_STEP);
  const last = Math.min(best, first + (count - 1) * SKELETON_STEP);
  const entries: BlockId[] = [];
  for (let number = first; entries.at(-1)?.number !== last; number = Math.min(last, number + SKELETON_STEP)) {
    const hash = chain.hashByNumber(number);
    if (hash === undefined) return undefined;
    entries.push({ number, hash });
  }
  return entries;
}

export function serveHashes({
  chain,
}: ServedSources): Responder<readonly number[], readonly (Uint8Array | undefined)[]> {
  return (heights) => [answer(heights.map((height) => chain.hashByNumber(height)))];
}

/** For any known block, on the best chain or not. Ends early at genesis, and where older headers are missing. */
export function serveHeaders({ chain }: ServedSources): Responder<HeadersRequest, BlockHeader> {
  return function* ({ hash, count }): Iterable<AnswerItem<BlockHeader>> {
    let header = chain.headerByHash(hash);
    if (header === undefined) yield answer<BlockHeader>(undefined);
    for (let left = count; header !== undefined && left > 0; left--) {
      yield answer(header);
      header = header.number === 0 ? undefined : chain.headerByHash(header.parentHash);
    }
  };
}
