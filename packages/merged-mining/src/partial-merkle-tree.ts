import { equalBytes, joinBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { combineGuarded } from "./merkle-proof.js";

const HASH = 32;
/** Maximum number of transactions in a parent-chain block of a million bytes. */
const MAX_TRANSACTIONS = 16666;

/** A partial Merkle tree as serialised (BIP-37), with hashes in internal order: `spec/03 §4.1`. */
export interface PartialMerkleTree {
  /** Signed 32-bit, as the deployed client decodes it. */
  transactionCount: number;
  hashes: Uint8Array[];
  flags: Uint8Array;
}

/** Root and matched leaves of a partial tree. */
export interface PartialTreeProof {
  root: Uint8Array;
  matched: Uint8Array[];
}

function invalid(reason: string): MergedMiningError {
  return new MergedMiningError({ code: "PROOF_FORMAT", reason });
}

/**
 * Decodes a tree whose length must equal the declared one. Nothing is allocated before the lengths are checked. Throws
 * {@link MergedMiningError} `PROOF_FORMAT` if it is malformed.
 */
export function decodePartialTree(data: Uint8Array): PartialMerkleTree {
  if (data.length < 4) throw invalid("shorter than the transaction count");
  const transactionCount = new DataView(data.buffer, data.byteOffset).getInt32(0, true);
  const hashCount = readVariable(data, 4);
  const hashesEnd = hashCount.end + hashCount.value * HASH;
  if (hashesEnd > data.length) throw invalid("hashes run past the end");
  const flagCount = readVariable(data, hashesEnd);
  if (flagCount.end + flagCount.value !== data.length) throw invalid("length differs from the declared one");
  const hashes: Uint8Array[] = [];
  for (let at = hashCount.end; at < hashesEnd; at += HASH) hashes.push(data.subarray(at, at + HASH));
  return { transactionCount, hashes, flags: data.subarray(flagCount.end) };
}

/** Reads a variable-length integer. Accepts non-minimal forms, but no value too large for a length. */
function readVariable(data: Uint8Array, at: number): { value: number; end: number } {
  const first = data[at];
  if (first === undefined) throw invalid("missing count");
  if (first < 253) return { value: first, end: at + 1 };
  const length = 1 << (first - 252);
  const end = at + 1 + length;
  if (end > data.length) throw invalid("truncated count");
  let value = 0;
  for (let i = end - 1; i > at; i--) value = value * 256 + data[i]!;
  if (value > data.length) throw invalid("count larger than the proof");
  return { value, end };
}

/** Evaluates the tree (`spec/03 §4.1`, "Validation"). Throws {@link MergedMiningError} `PROOF_…` if it is invalid. */
export function evaluatePartialTree({ transactionCount, hashes, flags }: PartialMerkleTree): PartialTreeProof {
  if (transactionCount === 0 || transactionCount > MAX_TRANSACTIONS) throw invalid("transaction count");
  if (hashes.length > transactionCount) throw invalid("more hashes than transactions");
  if (flags.length * 8 < hashes.length) throw invalid("fewer flag bits than hashes");
  const matched: Uint8Array[] = [];
  let bits = 0;
  let used = 0;
  const width = (height: number) => (transactionCount + 2 ** height - 1) >> height;

  const node = (height: number, position: number): Uint8Array => {
    if (bits >= flags.length * 8) throw invalid("missing flag bits");
    const bit = (flags[bits >> 3]! >> (bits & 7)) & 1;
    bits++;
    if (height === 0 || bit === 0) {
      const hash = hashes[used++];
      if (hash === undefined) throw invalid("missing hashes");
      if (height === 0 && bit === 1) matched.push(hash);
      return hash;
    }
    const left = node(height - 1, 2 * position);
    if (2 * position + 1 >= width(height - 1)) return combineGuarded(left, left);
    const right = node(height - 1, 2 * position + 1);
    if (equalBytes(left, right)) throw invalid("two equal children");
    return combineGuarded(left, right);
  };

  let height = 0;
  while (width(height) > 1) height++;
  const root = node(height, 0);
  if ((bits + 7) >> 3 !== flags.length) throw invalid("unused flag bytes");
  if (used !== hashes.length) throw invalid("unused hashes");
  return { root, matched };
}

/**
 * Returns the partial tree that proves leaf 0 of `transactionCount` leaves, built from the leaf and its siblings
 * (internal order, leaf level first).
 */
export function partialTreeOfBranch(branch: readonly Uint8Array[], transactionCount: number): Uint8Array {
  let height = 0;
  while (2 ** height < transactionCount) height++;
  const flags = new Uint8Array((branch.length + height + 7) >> 3);
  for (let bit = 0; bit < branch.length; bit++) flags[bit >> 3]! |= 1 << (bit & 7);
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, transactionCount, true);
  return joinBytes([count, encodeVariable(branch.length), ...branch, encodeVariable(flags.length), flags]);
}

/** One byte suffices: branches have at most 33 hashes and 9 flag bytes. */
function encodeVariable(value: number): Uint8Array {
  return Uint8Array.of(value);
}
