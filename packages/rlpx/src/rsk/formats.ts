import type { RlpInput } from "@cambium/primitives";
import { malformed, readList } from "../rlp.js";
import {
  alone,
  block,
  bytes,
  type Field,
  flag,
  hash,
  listOf,
  rawList,
  signedDifficulty,
  struct,
  uint,
  unsignedDifficulty,
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
  /** Limit on the body; those on counts are part of `content`. */
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

const transactionList = listOf(rawList, MAX_TRANSACTIONS_IN_LIST);
const blocks = listOf(block(MAX_PAYLOAD_BYTES), MAX_SNAP_BLOCKS);
const difficulties = listOf(signedDifficulty, MAX_SNAP_BLOCKS);
const blockId = struct<BlockReference>({ hash, number: uint });

/** `[[transaction, …], [uncle, …]]`, and the extension if there is one. */
const body: Field<Responses["bodyResponse"]> = {
  encode: ({ transactions, uncles, extension }) => {
    const parts: RlpInput[] = [transactionList.encode(transactions), rawList.encode(uncles)];
    return extension === undefined ? parts : [...parts, rawList.encode(extension)];
  },
  decode: (item, what) => {
    const [transactions, uncles, extension] = readList(item, what, 3);
    if (uncles === undefined) throw malformed(what, "fewer than 2 items");
    return {
      transactions: transactionList.decode(transactions!, what),
      uncles: rawList.decode(uncles, what),
      extension: extension && rawList.decode(extension, what),
    };
  },
};

export const NETWORK_STATUS: Field<NetworkStatus> = struct({
  protocolVersion: uint,
  networkId: uint,
  totalDifficulty: unsignedDifficulty,
  bestHash: hash,
  genesisHash: hash,
});

/** The messages with code 0x18. */
export const MESSAGES: Formats = {
  status: {
    kind: "notification",
    number: 1,
    maxBytes: SMALL_BYTES,
    content: struct({ bestNumber: uint, bestHash: hash, bestParentHash: hash, totalDifficulty: signedDifficulty }),
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
    content: struct({ hash, count: uint }),
  },
  blockHeadersResponse: {
    kind: "response",
    number: 10,
    maxBytes: HEADERS_BYTES,
    content: struct({ headers: listOf(rawList, MAX_HEADERS) }),
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
    content: struct({ blockNumber: uint, from: uint, chunkSize: uint }),
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
