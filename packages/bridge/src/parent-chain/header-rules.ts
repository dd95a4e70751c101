import { bytesToBigint } from "@cambium/primitives";
import type { ParentChainParameters, StoredParentBlock } from "../bitcoin/parent-chains.js";
import { BridgeError } from "../errors.js";
import type { ParentBlockStore } from "./block-store.js";
import { decodeCompactBits, encodeCompactBits } from "./compact-bits.js";
import { parentBlockHash } from "./header-hash.js";

// Consensus rules of parent-chain headers: spec/06b-1 §3.3, §3.4. Versions and timestamps are not checked.

/** Number of blocks between difficulty changes. */
const INTERVAL = 2016;
const TARGET_TIMESPAN = 1_209_600;
/** Header time from which the test chain allows minimum-difficulty blocks. */
const TEST_EASY_BLOCKS_FROM = 1_329_264_000;
const TEST_LONGEST_WAIT = 1200;

function invalid(reason: string): BridgeError {
  return new BridgeError({ code: "PARENT_HEADER", reason });
}

function uint32(header: Uint8Array, offset: number): number {
  return new DataView(header.buffer, header.byteOffset, header.length).getUint32(offset, true);
}

/** Header time in seconds. */
function timeOf(header: Uint8Array): number {
  return uint32(header, 68);
}

function bitsOf(header: Uint8Array): number {
  return uint32(header, 72);
}

/** Target in the header. Throws {@link BridgeError} `PARENT_HEADER` if it is outside the network's bounds. */
function targetOf(header: Uint8Array, { maximumTarget }: ParentChainParameters): bigint {
  const target = decodeCompactBits(bitsOf(header));
  if (target <= 0n || target > maximumTarget) throw invalid("target out of bounds");
  return target;
}

/** Expected number of hashes to mine a header: 2^256 / (target + 1). */
export function workOf(header: Uint8Array, parameters: ParentChainParameters): bigint {
  return (1n << 256n) / (targetOf(header, parameters) + 1n);
}

/** Throws {@link BridgeError} `PARENT_HEADER` if the hash exceeds the header's target. */
export function checkProofOfWork(header: Uint8Array, parameters: ParentChainParameters): void {
  const hash = bytesToBigint(parentBlockHash(header));
  if (hash > targetOf(header, parameters)) throw invalid("hash above the target");
}

/**
 * Checks the header's difficulty against its chain position. Throws {@link BridgeError} `PARENT_HEADER` if it is wrong.
 */
export function checkDifficulty(
  parent: StoredParentBlock,
  header: Uint8Array,
  store: ParentBlockStore,
  parameters: ParentChainParameters,
): void {
  const { difficulty } = parameters;
  if (difficulty !== "constant" && (parent.height + 1) % INTERVAL === 0) {
    checkTransition(parent, header, store, parameters);
  } else if (difficulty === "withEasyBlocks" && timeOf(header) > TEST_EASY_BLOCKS_FROM) {
    checkTestDifficulty(parent, header, store, parameters);
  } else if (bitsOf(header) !== bitsOf(parent.header)) {
    throw invalid("difficulty changed");
  }
}

function checkTransition(
  parent: StoredParentBlock,
  header: Uint8Array,
  store: ParentBlockStore,
  { maximumTarget }: ParentChainParameters,
): void {
  const first = store.ancestor(parent, INTERVAL - 1);
  if (first === undefined) throw invalid("the interval's first block is not stored");
  const elapsed = (timeOf(parent.header) - timeOf(first.header)) | 0;
  const timespan = Math.min(Math.max(elapsed, TARGET_TIMESPAN / 4), TARGET_TIMESPAN * 4);
  const scaled = (decodeCompactBits(bitsOf(parent.header)) * BigInt(timespan)) / BigInt(TARGET_TIMESPAN);
  const target = scaled > maximumTarget ? maximumTarget : scaled;
  // Compared at the precision of the received bits.
  const received = bitsOf(header);
  const shift = 8 * ((received >>> 24) - 3);
  const mask = shift >= 0 ? 0xffffffn << BigInt(shift) : 0xffffffn >> BigInt(-shift);
  if (encodeCompactBits(target & mask) !== received) throw invalid("wrong difficulty at a transition");
}

/** The test chain: any difficulty is allowed after a long interval, or if time goes backwards. */
function checkTestDifficulty(
  parent: StoredParentBlock,
  header: Uint8Array,
  store: ParentBlockStore,
  parameters: ParentChainParameters,
): void {
  const wait = timeOf(header) - timeOf(parent.header);
  if (wait < 0 || wait > TEST_LONGEST_WAIT) return;
  let block = parent;
  while (
    block.height > 0 &&
    block.height % INTERVAL !== 0 &&
    targetOf(block.header, parameters) === parameters.maximumTarget
  ) {
    const previous = store.parentOf(block);
    if (previous === undefined) throw invalid("an ancestor is not stored");
    block = previous;
  }
  if (targetOf(block.header, parameters) !== targetOf(header, parameters)) throw invalid("difficulty changed");
}
