import { FORK_DETECTION_HEADERS, type Rules } from "@cambium/config";
import { EMPTY_BYTES, equalBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { PARENT_HEADER_LENGTH, parentHeaderHash } from "./parent-header.js";

/** Length of the data: commitment to parents 7, uncles 1, block number 4 (`spec/03 §5.1`). */
const FORK_DETECTION_LENGTH = 12;
const COMMITMENTS = 7;
const STEP = 64;
const UNCLE_WINDOW = 32;

/** Fields of an ancestor from which the data is computed; block headers have them. The object must not change. */
export interface ForkDetectionAncestor {
  readonly uncleCount: number;
  readonly parentChainHeader: Uint8Array | null;
}

/** Returns an ancestor by distance; 0 is the parent of the block. */
export type AncestorByDistance = (distance: number) => ForkDetectionAncestor | undefined;

/** Fields of {@link ForkDetectionAncestor}, but only the first byte of the parent-chain hash in internal order. */
export interface ForkDetectionSummary {
  commitment(distance: number): number;
  uncleCount(distance: number): number;
}

/** Commitments by ancestor, because some hundred descendants read each one. */
const commitments = new WeakMap<ForkDetectionAncestor, number>();

/**
 * Returns fork-detection data of the child of block `parentNumber` (RSKIP-110, `spec/03 §5.2`). Empty if the chain has
 * fewer than 449 headers. Reads at most 39 ancestors. Throws {@link MergedMiningError} `FORK_DETECTION_ANCESTOR` if an
 * ancestor is missing or has no parent-chain header, and `FORK_DETECTION_UNCLES` if no data is valid.
 */
export function forkDetectionData(parentNumber: number, ancestor: AncestorByDistance): Uint8Array {
  const missing = (distance: number) =>
    new MergedMiningError({ code: "FORK_DETECTION_ANCESTOR", number: parentNumber - distance });
  return composeForkDetectionData(parentNumber, {
    commitment(distance) {
      const found = ancestor(distance);
      const header = found?.parentChainHeader;
      if (header == null || header.length < PARENT_HEADER_LENGTH) throw missing(distance);
      let commitment = commitments.get(found!);
      if (commitment === undefined) commitments.set(found!, (commitment = parentHeaderHash(header)[0]!));
      return commitment;
    },
    uncleCount(distance) {
      const count = ancestor(distance)?.uncleCount;
      if (count === undefined) throw missing(distance);
      return count;
    },
  });
}

/**
 * Composes {@link forkDetectionData} for a caller that has both numbers of each ancestor. Throws
 * {@link MergedMiningError} `FORK_DETECTION_UNCLES`.
 */
export function composeForkDetectionData(parentNumber: number, summary: ForkDetectionSummary): Uint8Array {
  if (parentNumber + 1 < FORK_DETECTION_HEADERS) return EMPTY_BYTES;
  const data = new Uint8Array(FORK_DETECTION_LENGTH);
  for (let i = 0; i < COMMITMENTS; i++) data[i] = summary.commitment((parentNumber % STEP) + STEP * i);
  data[COMMITMENTS] = Math.min(255, uncleSum(summary));
  new DataView(data.buffer).setUint32(8, (parentNumber + 1) % 2 ** 32);
  return data;
}

/**
 * Sum of the header fields, in signed 32 bits (`spec/03 §5.2`): a field has any value below 2^31, since no rule bounds
 * it.
 */
function uncleSum(summary: ForkDetectionSummary): number {
  let sum = 0;
  for (let i = 0; i < UNCLE_WINDOW; i++) sum = (sum + summary.uncleCount(i)) | 0;
  if (sum < 0) throw new MergedMiningError({ code: "FORK_DETECTION_UNCLES", sum });
  return sum;
}

/** Fields of a block or uncle header that the fork-detection rule reads. */
export interface ForkDetectionSubject {
  readonly number: number;
  /** Empty if the header has none; the getter may throw. */
  readonly forkDetectionData: Uint8Array;
}

/**
 * Verifies the fork-detection rule (`spec/03 §5.3`, `spec/02 §3.6`). At height 449 the data is present but not checked.
 * Throws {@link MergedMiningError} `FORK_DETECTION_…` if the data is wrong, and any error from reading it.
 */
export function verifyForkDetectionData(
  header: ForkDetectionSubject,
  rules: Pick<Rules, "rskip110">,
  ancestor: AncestorByDistance,
): void {
  if (!rules.rskip110 || header.number === FORK_DETECTION_HEADERS) return;
  const expected = forkDetectionData(header.number - 1, ancestor);
  const actual = header.forkDetectionData;
  if (!equalBytes(actual, expected)) throw new MergedMiningError({ code: "FORK_DETECTION_DATA", expected, actual });
}
