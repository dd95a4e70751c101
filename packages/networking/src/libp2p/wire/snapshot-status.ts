import { bigintToTwosComplement, encodeRlp, numberToBytes } from "@cambium/primitives";
import type { SnapshotStatus } from "../../interface.js";
import { malformed, readList, readTuple, readUint, readWhole } from "../../rlp.js";
import { blockFrameBytes, MAX_SNAPSHOT_BLOCKS } from "../../shared/limits.js";
import { blockBounds, perTenSeconds, SLOW_FIRST_BYTE } from "./bounds.js";
import type { Protocol } from "./protocol.js";
import { readSnapshotBlock } from "./snapshot-blocks.js";

const WHAT = "snapshot status";
/** Number of blocks from 400 below the checkpoint to the checkpoint. */
const MAX_BLOCKS = MAX_SNAPSHOT_BLOCKS + 1;

/** The anchor of a snapshot: blocks up to the checkpoint, and the size of the state after it (`spec/07 §B.7`). */
export const snapshotStatusProtocol: Protocol<undefined, SnapshotStatus> = {
  name: "snap-status",
  bounds: blockBounds({
    requestBytes: 64,
    frames: () => 1,
    totalBytes: blockFrameBytes,
    inboundStreams: 1,
    ...SLOW_FIRST_BYTE,
  }),
  rate: perTenSeconds(5),
  items: () => 1,
  encodeRequest: () => encodeRlp([]),
  decodeRequest: (bytes) => {
    readTuple(readWhole(bytes, "snap-status"), "snap-status", 0);
    return undefined;
  },
  encodeItem: ({ blocks, trieSize }) =>
    encodeRlp([
      blocks.map(({ encoded }) => encoded),
      blocks.map(({ totalDifficulty }) => bigintToTwosComplement(totalDifficulty)),
      numberToBytes(trieSize),
    ]),
  decodeItem: (bytes) => {
    const items = readTuple(readWhole(bytes, WHAT), WHAT, 3);
    const blocks = readList(items[0]!, WHAT, MAX_BLOCKS);
    if (blocks.length === 0) throw malformed(WHAT, "no blocks");
    const totalDifficulties = readTuple(items[1]!, WHAT, blocks.length);
    return {
      blocks: blocks.map((block, i) => readSnapshotBlock(block, totalDifficulties[i]!)),
      trieSize: readUint(items[2]!, "trie size"),
    };
  },
};
