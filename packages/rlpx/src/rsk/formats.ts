import { encodeRlp, type RlpInput } from "@cambium/primitives";
import { malformed } from "../rlp.js";
import { elementsIn } from "../tolerant-rlp.js";
import {
  alone,
  block,
  bytes,
  count,
  type Field,
  flag,
  genesisHash,
  hash,
  listOf,
  optional,
  rawList,
  signedDifficulty,
  struct,
  uint,
  unsignedDifficulty,
  version,
} from "./fields.js";
import {
  BLOCK_IDS_BYTES,
  CHUNK_BYTES,
  HEADERS_BYTES,
  MAX_ANNOUNCED_BLOCKS,
  MAX_HEADERS,
  MAX_PAYLOAD_BYTES,
  MAX_SKELETON_ENTRIES,
  MAX_SNAP_BLOCKS,
  MAX_TRANSACTIONS_IN_LIST,
  MAX_UNCLES,
  SMALL_BYTES,
} from "./limits.js";
import type {
  BlockReference,
  MessageName,
  NetworkStatus,
  NotificationName,
  Notifications,
  RequestContent,
  RequestName,
  Requests,
  ResponseName,
  Responses,
} from "./messages.js";

interface Format<Content> {
  /** Type of `spec/07 §A.3.3`. */
  readonly number: number;
  /** Lowest version of the capability with the message; 62 by default. */
  readonly since?: number;
  /** Maximum size of the body in bytes; limits on counts are part of `content`. */
  readonly maxBytes: number;
  /** A list: the body of a notification, the second element of other bodies. */
  readonly content: Field<Content>;
}

interface NotificationFormat<Content> extends Format<Content> {
  readonly kind: "notification";
}

interface RequestFormat<Content, Answer> extends Format<Content> {
  readonly kind: "request";
  readonly answer: Answer;
}

interface ResponseFormat<Content> extends Format<Content> {
  readonly kind: "response";
}

type Formats = {
  [Name in MessageName]: Name extends RequestName
    ? RequestFormat<RequestContent<Name>, Requests[Name]["answer"]>
    : Name extends ResponseName
      ? ResponseFormat<Responses[Name]>
      : NotificationFormat<Notifications[Name & NotificationName]>;
};

/** Status with two elements, or four, or a fifth of version 63. A status with three is malformed. */
const status: Field<Notifications["status"]> = {
  encode: ({ bestNumber, bestHash, bestParentHash, totalDifficulty, earliestBlock }) => {
    const best: RlpInput[] = [uint.encode(bestNumber), hash.encode(bestHash)];
    if (bestParentHash === undefined || totalDifficulty === undefined) return best;
    best.push(hash.encode(bestParentHash), signedDifficulty.encode(totalDifficulty));
    if (earliestBlock !== undefined) best.push(uint.encode(earliestBlock));
    return best;
  },
  decode: (item, what) => {
    const [bestNumber, bestHash, bestParentHash, difficulty, earliest] = elementsIn(item, what, 5);
    if (bestNumber === undefined || bestHash === undefined) throw malformed(what, "fewer than 2 items");
    const best = { bestNumber: uint.decode(bestNumber, what), bestHash: hash.decode(bestHash, what) };
    if (bestParentHash === undefined) return best;
    if (difficulty === undefined) throw malformed(what, "3 items instead of 4");
    return {
      ...best,
      bestParentHash: hash.decode(bestParentHash, what),
      totalDifficulty: signedDifficulty.decode(difficulty, `${what} totalDifficulty`),
      ...(earliest && { earliestBlock: uint.decode(earliest, what) }),
    };
  },
};

const transactionList = listOf(rawList, MAX_TRANSACTIONS_IN_LIST);
const blocks = listOf(block(MAX_PAYLOAD_BYTES), MAX_SNAP_BLOCKS);
const difficulties = listOf(signedDifficulty, MAX_SNAP_BLOCKS);
const uncleList = listOf(rawList, MAX_UNCLES);
const blockId = struct<BlockReference>({ hash, number: uint });

/** `[[transaction, …], [uncle, …]]`, and the extension if there is one. */
const body: Field<Responses["bodyResponse"]> = {
  encode: ({ transactions, uncles, extension }) => {
    const parts: RlpInput[] = [transactionList.encode(transactions), rawList.encode(uncles)];
    return extension === undefined ? parts : [...parts, rawList.encode(extension)];
  },
  decode: (item, what) => {
    const [transactions, uncles, extension] = elementsIn(item, what, 3);
    if (transactions === undefined || uncles === undefined) throw malformed(what, "fewer than 2 items");
    return {
      transactions: transactionList.decode(transactions, what),
      // The uncles are encoded again, because a header may stand in a string.
      uncles: encodeRlp(uncleList.encode(uncleList.decode(uncles, what))),
      extension: extension && rawList.decode(extension, what),
    };
  },
};

export const NETWORK_STATUS: Field<NetworkStatus> = struct({
  protocolVersion: version,
  networkId: count,
  totalDifficulty: unsignedDifficulty,
  bestHash: hash,
  genesisHash,
});

/** The messages with code 0x18. */
export const MESSAGES: Formats = {
  status: {
    kind: "notification",
    number: 1,
    maxBytes: SMALL_BYTES,
    content: status,
  },
  blockRange: {
    kind: "notification",
    number: 26,
    since: 63,
    maxBytes: SMALL_BYTES,
    content: struct({ earliest: uint, latest: uint, latestHash: hash }),
  },
  block: {
    kind: "notification",
    number: 2,
    maxBytes: MAX_PAYLOAD_BYTES,
    content: struct({ block: block(MAX_PAYLOAD_BYTES) }),
  },
  getBlock: { kind: "notification", number: 3, maxBytes: SMALL_BYTES, content: struct({ hash }) },
  newBlockHashes: {
    kind: "notification",
    number: 6,
    maxBytes: BLOCK_IDS_BYTES,
    content: alone("blocks", listOf(blockId, MAX_ANNOUNCED_BLOCKS)),
  },
  transactions: {
    kind: "notification",
    number: 7,
    maxBytes: MAX_PAYLOAD_BYTES,
    content: alone("transactions", transactionList),
  },
  newBlockHash: { kind: "notification", number: 17, maxBytes: SMALL_BYTES, content: struct({ hash }) },

  blockHashRequest: {
    kind: "request",
    number: 8,
    answer: "blockHashResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ height: uint }),
  },
  blockHashResponse: { kind: "response", number: 18, maxBytes: SMALL_BYTES, content: struct({ hash }) },
  blockHeadersRequest: {
    kind: "request",
    number: 9,
    answer: "blockHeadersResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ hash, count }),
  },
  blockHeadersResponse: {
    kind: "response",
    number: 10,
    maxBytes: HEADERS_BYTES,
    content: struct({ headers: listOf(rawList, MAX_HEADERS + 1) }),
  },
  blockRequest: {
    kind: "request",
    number: 11,
    answer: "blockResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ hash }),
  },
  blockResponse: {
    kind: "response",
    number: 12,
    maxBytes: MAX_PAYLOAD_BYTES,
    content: struct({ block: block(MAX_PAYLOAD_BYTES) }),
  },
  skeletonRequest: {
    kind: "request",
    number: 16,
    answer: "skeletonResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ start: uint }),
  },
  skeletonResponse: {
    kind: "response",
    number: 13,
    maxBytes: BLOCK_IDS_BYTES,
    content: struct({ blocks: listOf(blockId, MAX_SKELETON_ENTRIES) }),
  },
  bodyRequest: {
    kind: "request",
    number: 14,
    answer: "bodyResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ hash }),
  },
  bodyResponse: { kind: "response", number: 15, maxBytes: MAX_PAYLOAD_BYTES, content: body },

  snapStateChunkRequest: {
    kind: "request",
    number: 20,
    answer: "snapStateChunkResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ blockNumber: uint, from: uint, chunkSize: optional(uint, 0) }),
  },
  snapStateChunkResponse: {
    kind: "response",
    number: 21,
    maxBytes: CHUNK_BYTES,
    content: struct({ encoded: bytes(CHUNK_BYTES), blockNumber: uint, from: uint, to: uint, complete: flag }),
  },
  snapStatusRequest: {
    kind: "request",
    number: 22,
    answer: "snapStatusResponse",
    maxBytes: SMALL_BYTES,
    content: struct({}),
  },
  snapStatusResponse: {
    kind: "response",
    number: 23,
    maxBytes: MAX_PAYLOAD_BYTES,
    content: struct({ blocks, totalDifficulties: difficulties, trieSize: uint }),
  },
  snapBlocksRequest: {
    kind: "request",
    number: 24,
    answer: "snapBlocksResponse",
    maxBytes: SMALL_BYTES,
    content: struct({ below: uint }),
  },
  snapBlocksResponse: {
    kind: "response",
    number: 25,
    maxBytes: MAX_PAYLOAD_BYTES,
    content: struct({ blocks, totalDifficulties: difficulties }),
  },
};
