import { encodeRlp, numberToBytes } from "@cambium/primitives";
import type { BlockId } from "../../interface.js";
import { malformed, readHash, readList, readTuple, readUint, readWhole } from "../../rlp.js";
import { checkSkeleton } from "../../serving/answer-checks.js";
import { KIB, MAX_SKELETON, SKELETON_STEP } from "../../shared/limits.js";
import { perTenSeconds, smallBounds } from "./bounds.js";
import type { Protocol } from "./protocol.js";

const WHAT = "skeleton";

export interface SkeletonRequest {
  start: number;
  /** Number of blocks, 1 to 64. */
  count: number;
}

/** Every 192nd block from the multiple of 192 at or below `start`, then the best block (`spec/07 §B.5`). */
export const skeletonProtocol: Protocol<SkeletonRequest, readonly BlockId[]> = {
  name: "skeleton",
  bounds: smallBounds(4 * KIB, { requestBytes: 64 }),
  rate: perTenSeconds(10),
  items: () => 1,
  encodeRequest: ({ start, count }) => encodeRlp([start, count, SKELETON_STEP].map(numberToBytes)),
  decodeRequest,
  encodeItem: (entries) => encodeRlp(entries.map(({ hash, number }) => [hash, numberToBytes(number)])),
  decodeItem,
};

function decodeRequest(bytes: Uint8Array): SkeletonRequest {
  const items = readTuple(readWhole(bytes, WHAT), WHAT, 3);
  const count = readUint(items[1]!, "skeleton count", MAX_SKELETON);
  if (count === 0) throw malformed("skeleton count", "zero");
  const step = readUint(items[2]!, "skeleton step");
  if (step !== SKELETON_STEP) throw malformed("skeleton step", `${step}`);
  return { start: readUint(items[0]!, "skeleton start"), count };
}

function decodeItem(bytes: Uint8Array, { start, count }: SkeletonRequest): BlockId[] {
  const entries = readList(readWhole(bytes, WHAT), WHAT, count).map((item) => {
    const [hash, number] = readTuple(item, WHAT, 2);
    return { hash: readHash(hash!, "skeleton hash"), number: readUint(number!, "skeleton number") };
  });
  checkSkeleton(entries, start);
  return entries;
}
