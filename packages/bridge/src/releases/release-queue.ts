import type { BridgeSession } from "../session.js";
import { CELLS, EMPTY_LIST } from "../storage/cells.js";

/** A list in two cells: entries without and with the requesting transaction's hash (RSKIP-146). */
export interface TwinLists {
  plain: Uint8Array;
  withHash: Uint8Array;
}

/** Loads the requested peg-outs. */
export function releaseQueue({ storage, rules }: BridgeSession): TwinLists {
  const plain = storage.loadList(CELLS.releaseQueue);
  return { plain, withHash: rules.rskip146 ? storage.loadList(CELLS.releaseQueueWithHash) : EMPTY_LIST };
}

/** Loads the created peg-outs that wait for confirmations. */
export function unconfirmedReleases({ storage, rules }: BridgeSession): TwinLists {
  const plain = storage.loadList(CELLS.unconfirmedReleases);
  return { plain, withHash: rules.rskip146 ? storage.loadList(CELLS.unconfirmedReleasesWithHash) : EMPTY_LIST };
}
