// The messages of the `rsk` capability, versions 62 and 63 (`spec/07 §A.3`). Blocks, headers, transactions and state
// chunks are RLP whose content is not checked. Hashes have 32 bytes; a received hash is empty if the peer sent none.

/** A block by hash and number. */
export interface BlockReference {
  hash: Uint8Array;
  number: number;
}

/** The Status with code 0x10, which negotiates the capability. */
export interface NetworkStatus {
  /** Protocol version: 62, also if 63 was negotiated. Nodes with another version, network or genesis disconnect. */
  protocolVersion: number;
  networkId: number;
  totalDifficulty: bigint;
  bestHash: Uint8Array;
  genesisHash: Uint8Array;
}

/** The sender's best block. */
export interface BestBlock {
  bestNumber: number;
  bestHash: Uint8Array;
  bestParentHash?: Uint8Array | undefined;
  /** Total difficulty; undefined if the sender does not know it yet. The sender then claims nothing. */
  totalDifficulty?: bigint | undefined;
  /** The lowest block that the sender serves; undefined: it serves all. */
  earliestBlock?: number | undefined;
}

/** Contents of messages without id, by name. */
export interface Notifications {
  networkStatus: NetworkStatus;
  /** The claim that makes a deployed node synchronise from the sender. */
  status: BestBlock;
  /** Version 63: the blocks that the sender serves have changed. */
  blockRange: { earliest: number; latest: number; latestHash: Uint8Array };
  /** A new block, or the answer to `getBlock`. */
  block: { block: Uint8Array };
  getBlock: { hash: Uint8Array };
  newBlockHashes: { blocks: readonly BlockReference[] };
  /** Transactions; the deployed client skips those above 131 072 bytes. */
  transactions: { transactions: readonly Uint8Array[] };
  /** A message that the deployed client reads but never sends. */
  newBlockHash: { hash: Uint8Array };
}

/** Messages that are answered under their id, or not at all: content, and name of the answer. */
export interface Requests {
  blockHashRequest: { content: { height: number }; answer: "blockHashResponse" };
  /** The header with the hash and its ancestors, at most 192. */
  blockHeadersRequest: { content: { hash: Uint8Array; count: number }; answer: "blockHeadersResponse" };
  blockRequest: { content: { hash: Uint8Array }; answer: "blockResponse" };
  skeletonRequest: { content: { start: number }; answer: "skeletonResponse" };
  bodyRequest: { content: { hash: Uint8Array }; answer: "bodyResponse" };
  snapStatusRequest: { content: object; answer: "snapStatusResponse" };
  /** The blocks below a height. */
  snapBlocksRequest: { content: { below: number }; answer: "snapBlocksResponse" };
  /** `from` is the offset of `spec/07 §B.9`; `chunkSize`, in KiB, is ignored. */
  snapStateChunkRequest: {
    content: { blockNumber: number; from: number; chunkSize: number };
    answer: "snapStateChunkResponse";
  };
}

/** Contents of answers, by name. */
export interface Responses {
  blockHashResponse: { hash: Uint8Array };
  /** Headers in compressed form, descending. */
  blockHeadersResponse: { headers: readonly Uint8Array[] };
  blockResponse: { block: Uint8Array };
  skeletonResponse: { blocks: readonly BlockReference[] };
  bodyResponse: {
    transactions: readonly Uint8Array[];
    /** RLP of the list of uncles. */
    uncles: Uint8Array;
    /** RLP of the fields that the compressed header omits; undefined for a header of version 0. */
    extension: Uint8Array | undefined;
  };
  /** Ascending blocks. The lists may differ in length: the receiver checks. */
  snapStatusResponse: { blocks: readonly Uint8Array[]; totalDifficulties: readonly bigint[]; trieSize: number };
  snapBlocksResponse: { blocks: readonly Uint8Array[]; totalDifficulties: readonly bigint[] };
  snapStateChunkResponse: {
    /** RLP of a state chunk. */
    encoded: Uint8Array;
    blockNumber: number;
    from: number;
    to: number;
    complete: boolean;
  };
}

export type NotificationName = keyof Notifications;
export type RequestName = keyof Requests;
export type ResponseName = keyof Responses;
/** Content of a request. */
export type RequestContent<Name extends RequestName> = Requests[Name]["content"];
/** The answer to a request. */
export type AnswerTo<Name extends RequestName> = RskResponse<Requests[Name]["answer"]>;

export type RskNotification = { [Name in NotificationName]: { type: Name } & Notifications[Name] }[NotificationName];
export type RskRequest<Of extends RequestName = RequestName> = {
  [Name in Of]: { type: Name; id: bigint } & RequestContent<Name>;
}[Of];
export type RskResponse<Of extends ResponseName = ResponseName> = {
  [Name in Of]: { type: Name; id: bigint } & Responses[Name];
}[Of];
/** A message of the capability. Ids are chosen by the requester, 0 to 2^63 - 1. */
export type RskMessage = RskNotification | RskRequest | RskResponse;

/** Names of the messages with code 0x18. */
export type MessageName = Exclude<NotificationName, "networkStatus"> | RequestName | ResponseName;
