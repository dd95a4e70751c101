import type { ServedSources } from "../../serving/served-sources.js";
import type { Responder } from "../wire/protocol.js";
import type { ItemOf, ProtocolName, RequestOf } from "../wire/protocols.js";
import { serveBlocks, serveBodies } from "./blocks.js";
import { serveHashes, serveHeaders, serveSkeleton } from "./headers.js";
import { serveSnapshotBlocks, serveSnapshotChunk, serveSnapshotStatus } from "./snapshots.js";
import { serveTransactions } from "./transactions.js";

/** Protocols answered from the chain and the pool; the others concern the connection itself. */
export type ServedName = Exclude<ProtocolName, "status" | "goodbye">;

export type Responders = { readonly [Name in ServedName]: Responder<RequestOf<Name>, ItemOf<Name>> };

/**
 * Creates responders that read an answer item by item as it is sent, so that a slow reader costs nothing. Each missing
 * item is answered with "not available".
 */
export function createResponders(sources: ServedSources): Responders {
  return {
    skeleton: serveSkeleton(sources),
    hashes: serveHashes(sources),
    headers: serveHeaders(sources),
    bodies: serveBodies(sources),
    blocks: serveBlocks(sources),
    txs: serveTransactions(sources),
    "snap-status": serveSnapshotStatus(sources),
    "snap-blocks": serveSnapshotBlocks(sources),
    "snap-chunk": serveSnapshotChunk(sources),
  };
}
