import type { Peer, PeerNetwork } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { Checkpoint, SyncChain } from "../interface.js";
import type { PeerDesk } from "./peer-desk.js";

/** Heights asked for in one round (`spec/07 §D.7`, 3). */
const HEIGHTS = 16;

export interface ConnectionPointModules {
  chain: Pick<SyncChain, "best" | "headerByHash" | "earliestBlock">;
  network: Pick<PeerNetwork, "hashes">;
  desk: PeerDesk;
  checkpoint: Checkpoint | undefined;
}

/**
 * Highest block that the peer's chain and what we have share, within one step of each round: any block that we know will
 * do, on our best chain or not, because headers are checked from there on. Rejects with {@link SyncError}
 * `OTHER_GENESIS`, `NO_CONNECTION_POINT`, `CHECKPOINT` or `CHECKPOINT_MISSING`, and whatever a request rejects with.
 */
export async function findConnectionPoint(
  peer: Peer,
  modules: ConnectionPointModules,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const { chain } = modules;
  const ask = (heights: readonly number[]) => askHashes(peer, heights, modules, signal);
  const { low, high } = await searchBounds(peer, modules, ask);
  let point = low;
  for (let above = high; point.number < above; ) {
    const heights = spread(point.number, above);
    const hashes = await ask(heights);
    const known = heights.map((number, i) => knownHeader(chain, number, hashes[i]));
    const last = known.findLastIndex((header) => header !== undefined);
    if (last >= 0) point = known[last]!;
    above = (heights[last + 1] ?? above + 1) - 1;
  }
  return point;
}

/** The lowest block that must be shared, and the height above which nothing can be. */
async function searchBounds(
  peer: Peer,
  { chain, checkpoint }: ConnectionPointModules,
  ask: (heights: readonly number[]) => Promise<readonly (Uint8Array | undefined)[]>,
): Promise<{ low: BlockHeader; high: number }> {
  const heights = [chain.earliestBlock()];
  if (checkpoint !== undefined) heights.push(checkpoint.number);
  const hashes = await ask(heights);
  const lowest = knownHeader(chain, heights[0]!, hashes[0]);
  if (lowest === undefined) {
    const isOther = heights[0] === 0 && hashes[0] !== undefined;
    throw new SyncError({ code: isOther ? "OTHER_GENESIS" : "NO_CONNECTION_POINT", peer: peer.id });
  }
  const high = Math.min(peer.status.bestNumber, chain.best().header.number);
  if (checkpoint === undefined) return { low: lowest, high };
  const { number } = checkpoint;
  if (hashes[1] === undefined) throw new SyncError({ code: "CHECKPOINT_MISSING", number });
  if (!equalBytes(hashes[1], checkpoint.hash)) throw new SyncError({ code: "CHECKPOINT", number });
  const passed = chain.headerByHash(checkpoint.hash);
  return { low: passed !== undefined && passed.number > lowest.number ? passed : lowest, high };
}

function askHashes(
  peer: Peer,
  heights: readonly number[],
  { network, desk }: ConnectionPointModules,
  signal: AbortSignal,
): Promise<readonly (Uint8Array | undefined)[]> {
  const question = { kind: "hashes", cost: heights.length, signal } as const;
  return desk.ask(peer.id, question, (inner) => network.hashes(peer.id, heights, inner));
}

/** Our header with the hash, if it is of that height. */
function knownHeader(
  chain: Pick<SyncChain, "headerByHash">,
  number: number,
  hash: Uint8Array | undefined,
): BlockHeader | undefined {
  const header = hash === undefined ? undefined : chain.headerByHash(hash);
  return header?.number === number ? header : undefined;
}

/** Up to sixteen heights above `low`, evenly, ascending; the last is `high`. */
function spread(low: number, high: number): number[] {
  const count = Math.min(HEIGHTS, high - low);
  return Array.from({ length: count }, (_, i) => low + Math.ceil(((high - low) * (i + 1)) / count));
}
