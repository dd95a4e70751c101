import { concatBytes, joinBytes, reverseBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { sha256d } from "./sha256.js";

const HASH = 32;
const MAX_MONEY = 2_100_000_000_000_000n;
const MAX_OUTPUT_INDEX = 1_000_000;

/** Returns the parent of two nodes, all in internal order. */
export function combineNodes(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256d(concatBytes(left, right));
}

/**
 * Returns the parent of two nodes of a proof. Throws {@link MergedMiningError} `PROOF_LOOKS_LIKE_TRANSACTION` if the
 * two could be a 64-byte transaction (`spec/03 §4`).
 */
export function combineGuarded(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (looksLikeTransaction(left, right)) throw new MergedMiningError({ code: "PROOF_LOOKS_LIKE_TRANSACTION" });
  return combineNodes(left, right);
}

/**
 * Whether two nodes, each in *display* order, parse as a transaction with one input and one output. These are not the
 * bytes that are hashed, but the rule is part of consensus (`spec/03 §11`, 3).
 */
export function looksLikeTransaction(left: Uint8Array, right: Uint8Array): boolean {
  // Byte 4, the number of inputs, decides nearly every case without a copy.
  if (left[27] !== 1) return false;
  const bytes = concatBytes(reverseBytes(left), reverseBytes(right));
  const view = new DataView(bytes.buffer);
  const outputIndex = view.getUint32(37, true);
  if (outputIndex > MAX_OUTPUT_INDEX && outputIndex !== 0xffffffff) return false;
  const inputScript = view.getInt8(41);
  if (inputScript < 0 || inputScript > 4) return false;
  const outputs = 42 + inputScript + 4;
  if (bytes[outputs] !== 1) return false;
  const value = view.getBigInt64(outputs + 1, true);
  if (value < 1n || value > MAX_MONEY) return false;
  const outputScript = view.getInt8(outputs + 9);
  return outputScript >= 0 && outputScript <= 4 && inputScript + outputScript === 4;
}

/**
 * Returns the root of a RSKIP-92 proof from the leftmost leaf (`spec/03 §4.2`). `proof` contains the siblings in
 * display order, leaf level first; its length must be a multiple of 32. Leaf and root are in internal order. Throws
 * {@link MergedMiningError} `PROOF_LOOKS_LIKE_TRANSACTION` if two nodes could be a transaction.
 */
export function compactProofRoot(leaf: Uint8Array, proof: Uint8Array): Uint8Array {
  let node = leaf;
  for (let offset = 0; offset < proof.length; offset += HASH) {
    node = combineGuarded(node, reverseBytes(proof.subarray(offset, offset + HASH)));
  }
  return node;
}

/** Root of a transaction list and branch of its leftmost leaf, in internal order. */
export interface MerkleBranch {
  root: Uint8Array;
  /** Siblings from the leaf level up, without the leaf. */
  siblings: Uint8Array[];
}

/** Computes root and branch. Throws {@link MergedMiningError} `TRANSACTION_IDS_EMPTY` if there are no ids. */
export function merkleBranch(transactionIds: readonly Uint8Array[]): MerkleBranch {
  let level = transactionIds;
  if (level.length === 0) throw new MergedMiningError({ code: "TRANSACTION_IDS_EMPTY" });
  const siblings: Uint8Array[] = [];
  while (level.length > 1) {
    siblings.push(level[1]!);
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) next.push(combineNodes(level[i]!, level[i + 1] ?? level[i]!));
    level = next;
  }
  return { root: level[0]!, siblings };
}

/** RSKIP-92 proof field from the coinbase's siblings (internal order, leaf level first). */
export function compactProof(siblings: readonly Uint8Array[]): Uint8Array {
  return joinBytes(siblings.map(reverseBytes));
}
