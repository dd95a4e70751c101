import type { BlockHeader } from "@cambium/types";
import type { BlockId } from "../../interface.js";
import { headersFrom, skeletonFrom } from "../../serving/chain-answers.js";
import type { ServedSources } from "../../serving/served-sources.js";
import type { HeadersRequest } from "../wire/headers.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import type { SkeletonRequest } from "../wire/skeleton.js";
import { answer } from "./answer.js";

export function serveSkeleton({ chain }: ServedSources): Responder<SkeletonRequest, readonly BlockId[]> {
  return ({ start, count }) => [answer(skeletonFrom(chain, start, count))];
}

export function serveHashes({
  chain,
}: ServedSources): Responder<readonly number[], readonly (Uint8Array | undefined)[]> {
  return (heights) => [answer(heights.map((height) => chain.hashByNumber(height)))];
}

export function serveHeaders({ chain }: ServedSources): Responder<HeadersRequest, BlockHeader> {
  return function* ({ hash, count }): Iterable<AnswerItem<BlockHeader>> {
    if (chain.headerByHash(hash) === undefined) yield answer<BlockHeader>(undefined);
    for (const header of headersFrom(chain, hash, count)) yield answer(header);
  };
}
