import type { ChainReader } from "@cambium/chain";
import type { SnapshotBlock, SnapshotStatus } from "../../interface.js";
import type { ServedSources } from "../../served-sources.js";
import { blockFrameBytes, KIB, MAX_SNAPSHOT_BLOCKS } from "../wire/limits.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import { snapshotAnswerBytes } from "../wire/snapshot-blocks.js";
import type { SnapshotChunkItem, SnapshotChunkRequest } from "../wire/snapshot-chunk.js";
import { answer } from "./answer.js";

/** Most bytes of a block's total difficulty and of the RLP prefixes. */
const BLOCK_OVERHEAD = 32;
/** Most bytes of a status without its blocks. */
const STATUS_OVERHEAD = KIB;

/** Omits the lowest blocks if not all fit into a frame; they can be requested separately. */
export function serveSnapshotStatus({ chain, snapshots }: ServedSources): Responder<undefined, SnapshotStatus> {
  return () => {
    const status = snapshots?.status();
    if (status === undefined) return [answer<SnapshotStatus>(undefined)];
    let room = blockFrameBytes(chain.best().header.gasLimitValue) - STATUS_OVERHEAD;
    let first = status.blocks.length;
    while (first > 0 && (room -= status.blocks[first - 1]!.encoded.length + BLOCK_OVERHEAD) >= 0) first--;
    return [answer({ ...status, blocks: status.blocks.slice(Math.min(first, status.blocks.length - 1)) })];
  };
}

/** Not available above the best block. */
export function serveSnapshotBlocks({ chain, snapshots }: ServedSources): Responder<number, SnapshotBlock> {
  return function* (below): Iterable<AnswerItem<SnapshotBlock>> {
    const hashes = snapshots === undefined ? [] : hashesBelow(chain, below);
    if (hashes.length === 0) yield answer<SnapshotBlock>(undefined);
    for (const hash of hashes) {
      const encoded = chain.encodedBlock(hash);
      const totalDifficulty = chain.totalDifficulty(hash);
      if (encoded === undefined || totalDifficulty === undefined) return;
      yield answer({ encoded, totalDifficulty });
    }
  };
}

/** Hashes of the blocks below a height, ascending: at most 400, and as many as fit into one answer. */
function hashesBelow(chain: ChainReader, below: number): Uint8Array[] {
  const best = chain.best().header;
  const hashes: Uint8Array[] = [];
  if (below > best.number) return hashes;
  let room = snapshotAnswerBytes(best.gasLimitValue);
  for (let number = below - 1; number > 0 && hashes.length < MAX_SNAPSHOT_BLOCKS; number--) {
    const hash = chain.hashByNumber(number);
    const encoded = hash && chain.encodedBlock(hash);
    if (encoded === undefined || (room -= encoded.length + BLOCK_OVERHEAD) < 0) break;
    hashes.push(hash!);
  }
  return hashes.reverse();
}

export function serveSnapshotChunk({ snapshots }: ServedSources): Responder<SnapshotChunkRequest, SnapshotChunkItem> {
  return ({ blockNumber, from }) => {
    const chunk = snapshots?.chunk(blockNumber, from);
    return [answer(chunk && { ...chunk, blockNumber })];
  };
}
