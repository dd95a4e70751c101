import type { NetworkConfig } from "@cambium/config";
import { blocksProtocol } from "./blocks.js";
import { bodiesProtocol } from "./bodies.js";
import { goodbyeProtocol } from "./goodbye.js";
import { hashesProtocol } from "./hashes.js";
import { headersProtocol } from "./headers.js";
import type { ProtocolName } from "./protocol.js";
import { skeletonProtocol } from "./skeleton.js";
import { snapshotBlocksProtocol } from "./snapshot-blocks.js";
import { snapshotChunkProtocol } from "./snapshot-chunk.js";
import { snapshotStatusProtocol } from "./snapshot-status.js";
import { statusProtocol } from "./status.js";
import { transactionsProtocol } from "./transactions.js";

/** Protocols that do not depend on the network, because they decode no headers. */
const UNIVERSAL = {
  status: statusProtocol,
  goodbye: goodbyeProtocol,
  skeleton: skeletonProtocol,
  hashes: hashesProtocol,
  bodies: bodiesProtocol,
  txs: transactionsProtocol,
  "snap-status": snapshotStatusProtocol,
  "snap-blocks": snapshotBlocksProtocol,
  "snap-chunk": snapshotChunkProtocol,
} as const;

/** All request protocols by name (`spec/07 §D.4`). */
export type Protocols = typeof UNIVERSAL & {
  headers: ReturnType<typeof headersProtocol>;
  blocks: ReturnType<typeof blocksProtocol>;
};

/** The request of a protocol, and an item of its answer. */
export type RequestOf<Name extends ProtocolName> = Parameters<Protocols[Name]["encodeRequest"]>[0];
export type ItemOf<Name extends ProtocolName> = ReturnType<Protocols[Name]["decodeItem"]>;

/** Returns the protocols of a network, whose activation heights determine the fields of headers. */
export function protocolsOf(network: NetworkConfig): Protocols {
  return { ...UNIVERSAL, headers: headersProtocol(network), blocks: blocksProtocol(network) };
}
