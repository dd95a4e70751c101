import { bigintToTwosComplement, encodeRlp, numberToBytes, type RlpItem } from "@cambium/primitives";
import type { SnapshotBlock } from "../../interface.js";
import { malformed, readBytes, readSignedInt, readTuple, readUint, readWhole } from "../../rlp.js";
import { checkBlockShape } from "../../serving/answer-checks.js";
import { blockFrameBytes, MAX_SNAPSHOT_BLOCKS, MIB, TOTAL_DIFFICULTY_BYTES } from "../../shared/limits.js";
import { blockBounds, perTenSeconds, SLOW_FIRST_BYTE } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "snapshot block";
/** Maximum size of an answer in bytes, which bounds the memory for 400 large blocks: 160 KiB a block. */
const ANSWER_BYTES = 64 * MIB;
/** Served blocks begin at height 1, so 2 is the lowest height with blocks below it (`spec/07 §B.7`). */
const LOWEST = 2;

/**
 * The blocks below a height, ascending, at most 400, one per frame. The lowest are omitted if not all fit into an
 * answer. The request is the height.
 */
export const snapshotBlocksProtocol: Protocol<number, SnapshotBlock> = {
  name: "snap-blocks",
  bounds: blockBounds({ requestBytes: 64, totalBytes: snapshotAnswerBytes, inboundStreams: 1, ...SLOW_FIRST_BYTE }),
  rate: perTenSeconds(5 * MAX_SNAPSHOT_BLOCKS, { isLarge: true }),
  items: countBelow,
  encodeRequest: (below) => encodeRlp([numberToBytes(below)]),
  decodeRequest: (bytes) => {
    const below = readUint(readTuple(readWhole(bytes, "snap-blocks"), "snap-blocks", 1)[0]!, "height");
    if (below < LOWEST) throw malformed("height", `no blocks below ${below}`);
    return below;
  },
  encodeItem: ({ encoded, totalDifficulty }) => encodeRlp([encoded, bigintToTwosComplement(totalDifficulty)]),
  decodeItem: (bytes, below, index) => {
    if (index >= countBelow(below)) throw malformed(WHAT, "more items than requested");
    const [block, totalDifficulty] = readTuple(readWhole(bytes, WHAT), WHAT, 2);
    return readSnapshotBlock(block!, totalDifficulty!);
  },
};

function countBelow(below: number): number {
  return Math.min(MAX_SNAPSHOT_BLOCKS, below - 1);
}

/** Limit of all frames of an answer, in bytes. */
export function snapshotAnswerBytes(gasLimit: bigint): number {
  return Math.max(ANSWER_BYTES, blockFrameBytes(gasLimit));
}

/** Decodes a block within a string, and a signed number. */
export function readSnapshotBlock(block: RlpItem, totalDifficulty: RlpItem): SnapshotBlock {
  const encoded = readBytes(block, WHAT, block.end);
  checkBlockShape(encoded);
  return { encoded, totalDifficulty: readSignedInt(totalDifficulty, "total difficulty", TOTAL_DIFFICULTY_BYTES) };
}
