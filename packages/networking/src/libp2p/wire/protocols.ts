import { NETWORKS, type NetworkConfig } from "@cambium/config";
import { blocksProtocol } from "./blocks.js";
import { bodiesProtocol } from "./bodies.js";
import { goodbyeProtocol } from "./goodbye.js";
import { hashesProtocol } from "./hashes.js";
import { headersProtocol } from "./headers.js";
import type { Protocol } from "./protocol.js";
import { skeletonProtocol } from "./skeleton.js";
import { snapshotBlocksProtocol } from "./snapshot-blocks.js";
import { snapshotChunkProtocol } from "./snapshot-chunk.js";
import { snapshotStatusProtocol } from "./snapshot-status.js";
import { statusProtocol } from "./status.js";
import { transactionsProtocol } from "./transactions.js";

/** Returns the protocols of a network, whose activation heights determine the fields of headers. */
export function protocolsOf(network: NetworkConfig) {
  return {
    status: statusProtocol,
    goodbye: goodbyeProtocol,
    skeleton: skeletonProtocol,
    hashes: hashesProtocol,
    headers: headersProtocol(network),
    bodies: bodiesProtocol,
    blocks: blocksProtocol(network),
    txs: transactionsProtocol,
    "snap-status": snapshotStatusProtocol,
    "snap-blocks": snapshotBlocksProtocol,
    "snap-chunk": snapshotChunkProtocol,
  } as const;
}

/** All request protocols by name (`spec/07 §D.4`). */
export type Protocols = ReturnType<typeof protocolsOf>;

export type ProtocolName = keyof Protocols;

/** Names of the protocols, which are the same on all networks. */
export const PROTOCOL_NAMES = Object.keys(protocolsOf(NETWORKS.main)) as readonly ProtocolName[];

/** A protocol of the list. */
export type NamedProtocol<Request, Item> = Protocol<Request, Item> & { readonly name: ProtocolName };

/** The request of a protocol, and an item of its answer. */
export type RequestOf<Name extends ProtocolName> = Parameters<Protocols[Name]["encodeRequest"]>[0];
export type ItemOf<Name extends ProtocolName> = ReturnType<Protocols[Name]["decodeItem"]>;
