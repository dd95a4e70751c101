import type { Peer, PeerNetwork } from "@cambium/networking";
import { equalBytes } from "@cambium/primitives";
import type { BlockHeader } from "@cambium/types";
import { SyncError } from "../errors.js";
import type { Checkpoint, SyncChain } from "../interface.js";
import type { PeerCoordinator } from "./peer-coordinator.js";

/** Number of heights requested in one round (`spec/07 §D.7`, 3). */
const HEIGHTS = 16;

export interface ConnectionPointParts {
  chain: Pick<SyncChain, "best" | "headerByHash" | "earliestBlock">;
  network: Pick<PeerNetwork, "hashes">;
  coordinator: PeerCoordinator;
  checkpoint: Checkpoint | undefined;
}

/**
 * Finds a high block that the peer's chain shares with the stored blocks, on our best chain or not: headers are
 * verified from that block on. Rejects with {@link SyncError} `OTHER_GENESIS`, `NO_CONNECTION_POINT`, `CHECKPOINT` or
 * `CHECKPOINT_MISSING`, or the error of a request.
 */
export async function findConnectionPoint(
  peer: Peer,
  parts: ConnectionPointParts,
  signal: AbortSignal,
): Promise<BlockHeader> {
  const { chain } = parts;
  const ask = (heights: readonly number[]) => askHashes(peer, heights, parts, signal);
  const { low, high } = await searchBounds(peer, parts, ask);
  const floor = floorOf(peer, low.number);
  let point = low;
  for (let above = high; Math.max(floor, point.number) < above; ) {
    const heights = spread(Math.max(floor, point.number), above);
    const hashes = await ask(heights);
    const known = heights.map((number, i) => knownHeader(chain, number, hashes[i]));
    const last = known.findLastIndex((header) => header !== undefined);
    if (last >= 0) point = known[last]!;
    above = (heights[last + 1] ?? above + 1) - 1;
  }
  if (point.number < floor) throw new SyncError({ code: "NO_CONNECTION_POINT", peer: peer.id });
  return point;
}

/**
 * Returns the lowest height to request from a peer. A node of the deployed network has nothing below its served range,
 * and is silent about it. Over libp2p only bodies are missing.
 */
function floorOf({ wire, status }: Peer, low: number): number {
  const earliest = wire === "rlpx" ? status.earliestBody : 0;
  return earliest > low + 1 ? earliest - 1 : low;
}

/** Returns the lowest block that must be shared, and the highest height at which a block can be shared. */
async function searchBounds(
  peer: Peer,
  { chain, checkpoint }: ConnectionPointParts,
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
  { network, coordinator }: ConnectionPointParts,
  signal: AbortSignal,
): Promise<readonly (Uint8Array | undefined)[]> {
  const request = { kind: "hashes", cost: heights.length, signal } as const;
  return coordinator.ask(peer.id, request, (inner) => network.hashes(peer.id, heights, inner));
}

/** Returns the stored header with the hash, if it has that height. */
function knownHeader(
  chain: Pick<SyncChain, "headerByHash">,
  number: number,
  hash: Uint8Array | undefined,
): BlockHeader | undefined {
  const header = hash === undefined ? undefined : chain.headerByHash(hash);
  return header?.number === number ? header : undefined;
}

/** Returns at most sixteen evenly spaced heights above `low`, ascending; the last is `high`. */
function spread(low: number, high: number): number[] {
  const count = Math.min(HEIGHTS, high - low);
  return Array.from({ length: count }, (_, i) => low + Math.ceil(((high - low) * (i + 1)) / count));
}
