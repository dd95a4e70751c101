import { loadedSet } from "@cambium/bridge";
import { fromHex, toHex } from "@cambium/primitives";
import type { CaseResult } from "../interface.js";

/** Vectors of the order in which created releases are confirmed before RSKIP-559. */
export interface ReleaseOrderFile {
  readonly cases: readonly ReleaseOrderCase[];
}

/** Id of a release, and the block in which it was created. */
type StoredRelease = readonly [txid: string, block: number];

interface ReleaseOrderCase {
  readonly storedWithoutHash: readonly StoredRelease[];
  readonly storedWithHash: readonly StoredRelease[];
  readonly iterationOrder: readonly string[];
  readonly firstConfirmedAt8904001: string | null;
}

const ASKED_AT = 8_904_001;
const CONFIRMATIONS = 4000;

export function* runReleaseOrders({ cases }: ReleaseOrderFile): Iterable<CaseResult> {
  for (const [index, vector] of cases.entries()) {
    const name = `release order ${index}`;
    const ordered = loadedSet(vector.storedWithoutHash.map(release), vector.storedWithHash.map(release)).inOrder();
    const confirmed = ordered.find(({ block }) => ASKED_AT - block >= CONFIRMATIONS);
    const order = ordered.map(({ txid }) => toHex(txid));
    if (order.join() !== vector.iterationOrder.join()) {
      yield { name, outcome: "failed", reason: `order ${order.join(" ")}` };
    } else if ((confirmed === undefined ? null : toHex(confirmed.txid)) !== vector.firstConfirmedAt8904001) {
      yield { name, outcome: "failed", reason: "another one is confirmed first" };
    } else yield { name, outcome: "passed" };
  }
}

function release([txid, block]: StoredRelease): { txid: Uint8Array; block: number } {
  return { txid: fromHex(txid), block };
}
