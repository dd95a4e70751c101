import { concatBytes, reverseBytes } from "@cambium/primitives";
import { MergedMiningError } from "./errors.js";
import { sha256d } from "./sha256.js";

const HASH = 32;
const MAX_MONEY = 2_100_000_000_000_000n;
const MAX_OUTPUT_INDEX = 1_000_000;

/** Parent of two nodes; all three in internal order. */
export function combineNodes(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256d(concatBytes(left, right));
}

/**
 * Parent of two nodes of a proof. Throws {@link MergedMiningError} `PROOF_LOOKS_LIKE_TRANSACTION` where the two could
 * be a 64-byte transaction (`spec/03 §4`).
 */
export function combineGuarded(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (looksLikeTransaction(left, right)) throw new MergedMiningError({ code: "PROOF_LOOKS_LIKE_TRANSACTION" });
  return combineNodes(left, right);
}

/**
 * Whether two nodes, each in *display* order, read as a transaction with one input and one output. The bytes looked at
 * are not the bytes hashed; the rule is the network's all the same (`spec/03 §11`, 3).
 */
export function looksLikeTransaction(left: Uint8Array, right: Uint8Array): boolean {
  // byte 4, the number of inputs: settles nearly every case without a copy
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
 * Root that a proof of RSKIP-92 leads to from the leftmost leaf (`spec/03 §4.2`). `proof` holds the siblings in display
 * order, leaf level first; its length must be a multiple of 32. Internal order in and out. May throw
 * `PROOF_LOOKS_LIKE_TRANSACTION`.
 */
export function compactProofRoot(leaf: Uint8Array, proof: Uint8Array): Uint8Array {
  let node = leaf;
  for (let offset = 0; offset < proof.length; offset += HASH) {
    node = combineGuarded(node, reverseBytes(proof.subarray(offset, offset + HASH)));
  }
  return node;
}

/** Root and branch of the leftmost leaf of a transaction list; everything in internal order. */
export interface MerkleBranch {
  root: Uint8Array;
  /** Siblings from the leaf level up, without the leaf. */
  siblings: Uint8Array[];
}

/** Throws {@link MergedMiningError} `TRANSACTION_IDS_EMPTY`. */
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

/** Proof field of RSKIP-92 from the siblings of the coinbase (internal order, leaf level first). */
export function compactProof(siblings: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...siblings.map(reverseBytes));
}
