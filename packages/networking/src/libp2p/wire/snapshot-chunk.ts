import { encodeRlp, numberToBytes } from "@cambium/primitives";
import type { SnapshotChunk } from "../../interface.js";
import { malformed, readBytes, readTuple, readUint, readWhole } from "../../rlp.js";
import { KIB } from "../../shared/limits.js";
import { perTenSeconds, SLOW_FIRST_BYTE, smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "snapshot chunk";
const FRAME_BYTES = 256 * KIB;
/** KiB of state in a chunk: sent with each request, and ignored (`spec/07 §A.3.3`). */
const CHUNK_SIZE = 50;

export interface SnapshotChunkRequest {
  blockNumber: number;
  /** Byte offset (`spec/07 §B.9`). */
  from: number;
}

/** A chunk with the number of the block whose state it belongs to. */
export interface SnapshotChunkItem extends SnapshotChunk {
  blockNumber: number;
}

/** The part of a state that starts at an offset. */
export const snapshotChunkProtocol: Protocol<SnapshotChunkRequest, SnapshotChunkItem> = {
  name: "snap-chunk",
  bounds: smallBounds(FRAME_BYTES, { requestBytes: 64, inboundStreams: 2, ...SLOW_FIRST_BYTE }),
  // Reading chunks blocks the thread, so the limit for all peers together equals the limit for one peer.
  rate: { ...perTenSeconds(400), total: 400 },
  items: () => 1,
  encodeRequest: ({ blockNumber, from }) => encodeRlp([blockNumber, from, CHUNK_SIZE].map(numberToBytes)),
  decodeRequest: (bytes) => {
    const [blockNumber, from, size] = readTuple(readWhole(bytes, "snap-chunk"), "snap-chunk", 3);
    readUint(size!, "chunk size");
    return { blockNumber: readUint(blockNumber!, "chunk block"), from: readUint(from!, "chunk start") };
  },
  encodeItem: ({ encoded, blockNumber, from, to, complete }) =>
    encodeRlp([encoded, ...[blockNumber, from, to, complete ? 1 : 0].map(numberToBytes)]),
  decodeItem,
};

function decodeItem(bytes: Uint8Array, request: SnapshotChunkRequest): SnapshotChunkItem {
  const items = readTuple(readWhole(bytes, WHAT), WHAT, 5);
  const blockNumber = readUint(items[1]!, "chunk block");
  const from = readUint(items[2]!, "chunk start");
  const to = readUint(items[3]!, "chunk end");
  if (blockNumber !== request.blockNumber || from !== request.from) throw malformed(WHAT, "not the requested one");
  if (to <= from) throw malformed(WHAT, `from ${from} to ${to}`);
  const complete = readUint(items[4]!, "chunk completeness", 1) === 1;
  return { blockNumber, from, to, complete, encoded: readBytes(items[0]!, WHAT, FRAME_BYTES) };
}
