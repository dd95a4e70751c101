import type { SnapshotBlock, SnapshotStatus } from "../../interface.js";
import { blocksBelow, fittingBlocks } from "../../serving/chain-answers.js";
import type { ServedSources } from "../../serving/served-sources.js";
import { blockFrameBytes, KIB } from "../../shared/limits.js";
import type { AnswerItem, Responder } from "../wire/protocol.js";
import { snapshotAnswerBytes } from "../wire/snapshot-blocks.js";
import type { SnapshotChunkItem, SnapshotChunkRequest } from "../wire/snapshot-chunk.js";
import { answer } from "./answer.js";

/** Maximum size of a status without its blocks, in bytes. */
const STATUS_OVERHEAD = KIB;

/** Serves the status. Omits the lowest blocks if not all fit into a frame; peers can request them separately. */
export function serveSnapshotStatus({ chain, snapshots }: ServedSources): Responder<undefined, SnapshotStatus> {
  return () => {
    const status = snapshots?.status();
    if (status === undefined) return [answer<SnapshotStatus>(undefined)];
    const room = blockFrameBytes(chain.best().header.gasLimitValue) - STATUS_OVERHEAD;
    return [answer({ ...status, blocks: fittingBlocks(status.blocks, room) })];
  };
}

/** Serves the blocks; "not available" above the best block. */
export function serveSnapshotBlocks({ chain, snapshots }: ServedSources): Responder<number, SnapshotBlock> {
  return function* (below): Iterable<AnswerItem<SnapshotBlock>> {
    const room = snapshotAnswerBytes(chain.best().header.gasLimitValue);
    let isAny = false;
    for (const block of snapshots === undefined ? [] : blocksBelow(chain, below, room)) {
      isAny = true;
      yield answer(block);
    }
    if (!isAny) yield answer<SnapshotBlock>(undefined);
  };
}

export function serveSnapshotChunk({ snapshots }: ServedSources): Responder<SnapshotChunkRequest, SnapshotChunkItem> {
  return ({ blockNumber, from }) => {
    const chunk = snapshots?.chunk(blockNumber, from);
    return [answer(chunk && { ...chunk, blockNumber })];
  };
}
