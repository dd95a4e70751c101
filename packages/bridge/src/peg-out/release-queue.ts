import { decodeRlpList } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";
import { CELLS, EMPTY_LIST } from "../storage/cells.js";

/** A list kept in two cells: entries without the requesting transaction's hash, and with it (RSKIP-146). */
export interface TwinLists {
  plain: Uint8Array;
  withHash: Uint8Array;
}

/** Requested peg-outs, loaded. */
export function releaseQueue({ storage, rules }: BridgeSession): TwinLists {
  const plain = storage.loadList(CELLS.releaseQueue);
  return { plain, withHash: rules.rskip146 ? storage.loadList(CELLS.releaseQueueWithHash) : EMPTY_LIST };
}

/** Created peg-outs that wait for confirmations, loaded. */
export function unconfirmedReleases({ storage, rules }: BridgeSession): TwinLists {
  const plain = storage.loadList(CELLS.unconfirmedReleases);
  return { plain, withHash: rules.rskip146 ? storage.loadList(CELLS.unconfirmedReleasesWithHash) : EMPTY_LIST };
}

/** Requests in the queue: pairs of destination and amount, or triples with the hash. */
export function queuedPegOuts(session: BridgeSession): number {
  const { plain, withHash } = releaseQueue(session);
  return decodeRlpList(plain).length / 2 + decodeRlpList(withHash).length / 3;
}
