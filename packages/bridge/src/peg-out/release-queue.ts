import { decodeRlpList } from "@cambium/primitives";
import type { BridgeSession } from "../session.js";
import { CELLS, EMPTY_LIST } from "../storage/cells.js";
import { DecodedCells } from "../storage/decoded-cells.js";

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

const itemCount = new DecodedCells((cell) => decodeRlpList(cell).length);

/** Number of queued requests, which are pairs of destination and amount, or triples with the hash. */
export function queuedPegOuts(session: BridgeSession): number {
  const { plain, withHash } = releaseQueue(session);
  return itemCount.of(plain) / 2 + itemCount.of(withHash) / 3;
}
