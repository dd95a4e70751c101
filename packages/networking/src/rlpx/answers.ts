import type { RskRequest, RskResponse } from "@cambium/rlpx";
import { blocksBelow, bodyOf, fittingBlocks, headersFrom, skeletonFrom } from "../serving/chain-answers.js";
import type { ServedSources } from "../serving/served-sources.js";
import { blockAnswerBytes, MAX_HEADERS, MIB } from "../shared/limits.js";

/** Number of entries in a skeleton: twenty chunks, and the block at which the first begins (`spec/07 §B.5`). */
const SKELETON_ENTRIES = 21;
/** Maximum size of an answer in bytes, below the largest message, 8 MiB (`spec/07 §A.2.3`). */
const MAX_ANSWER_BYTES = 7 * MIB;

type Answers = {
  readonly [Name in RskRequest["type"]]: (request: RskRequest<Name>, sources: ServedSources) => Content | undefined;
};
/** An answer without its id. */
type Content = { [Name in RskResponse["type"]]: Omit<RskResponse<Name>, "id"> }[RskResponse["type"]];

/** Answers as in the deployed client (`spec/07 §B.5`, `§B.7`). Undefined sends no answer, which means "not found". */
const ANSWERS: Answers = {
  blockHashRequest({ height }, { chain }) {
    const hash = height === 0 ? undefined : chain.hashByNumber(height);
    return hash && { type: "blockHashResponse", hash };
  },
  blockHeadersRequest({ hash, count }, { chain }) {
    if (count > MAX_HEADERS) return undefined;
    // The first header is sent even for a count of 0.
    const headers = [...headersFrom(chain, hash, Math.max(1, count))].map((header) => header.encode("compressed"));
    return headers.length === 0 ? undefined : { type: "blockHeadersResponse", headers };
  },
  blockRequest({ hash }, { chain }) {
    const block = chain.encodedBlock(hash);
    return block && { type: "blockResponse", block };
  },
  skeletonRequest({ start }, { chain }) {
    const blocks = skeletonFrom(chain, start, SKELETON_ENTRIES);
    return blocks && { type: "skeletonResponse", blocks };
  },
  bodyRequest({ hash }, { chain }) {
    const body = bodyOf(chain, hash);
    if (body === undefined) return undefined;
    const { transactions, uncles, extension } = body;
    return { type: "bodyResponse", transactions, uncles, extension };
  },
  snapStatusRequest(_, { chain, snapshots }) {
    const status = snapshots?.status();
    if (status === undefined) return undefined;
    const room = Math.min(MAX_ANSWER_BYTES, blockAnswerBytes(chain.best().header.gasLimitValue));
    const blocks = fittingBlocks(status.blocks, room);
    return {
      type: "snapStatusResponse",
      blocks: blocks.map(({ encoded }) => encoded),
      totalDifficulties: blocks.map(({ totalDifficulty }) => totalDifficulty),
      trieSize: status.trieSize,
    };
  },
  snapBlocksRequest({ below }, { chain, snapshots }) {
    const blocks = snapshots === undefined ? [] : [...blocksBelow(chain, below, MAX_ANSWER_BYTES)];
    if (blocks.length === 0) return undefined;
    return {
      type: "snapBlocksResponse",
      blocks: blocks.map(({ encoded }) => encoded),
      totalDifficulties: blocks.map(({ totalDifficulty }) => totalDifficulty),
    };
  },
  snapStateChunkRequest({ blockNumber, from }, { snapshots }) {
    const chunk = snapshots?.chunk(blockNumber, from);
    return chunk && { type: "snapStateChunkResponse", ...chunk, blockNumber };
  },
};

/** Returns the answer to a request of a deployed node; undefined if it gets none. */
export function answerTo(request: RskRequest, sources: ServedSources): RskResponse | undefined {
  const answer = ANSWERS[request.type] as (request: RskRequest, sources: ServedSources) => Content | undefined;
  const content = answer(request, sources);
  return content && ({ ...content, id: request.id } as RskResponse);
}
