import { MAX_MERKLE_PROOF, type NetworkConfig, type Rules } from "@cambium/config";
import { equalBytes, messageOf } from "@cambium/primitives";
import { checkTag, coinbaseId, splitCoinbase } from "./coinbase.js";
import { MergedMiningError } from "./errors.js";
import { FALLBACK_KEYS, verifyFallbackSignature } from "./fallback-signature.js";
import { compactProofRoot } from "./merkle-proof.js";
import { PARENT_HEADER_LENGTH, parentHeaderMerkleRoot, parentHeaderWork } from "./parent-header.js";
import { checkParentTransactions } from "./parent-transaction.js";
import { decodePartialTree, evaluatePartialTree } from "./partial-merkle-tree.js";
import { proofOfWorkTarget } from "./target.js";

/** Fields that the rule reads; block headers have them. */
export interface ProofOfWorkInput {
  readonly number: number;
  /** Difficulty; null counts as 0. */
  readonly difficulty: bigint | null;
  /** Merged-mining hash, 32 bytes. The getter may throw, which fails the rule. */
  readonly hashForMergedMining: Uint8Array;
  readonly parentChainHeader: Uint8Array | null;
  /** Merkle proof: null if absent, empty in a parent block with one transaction. */
  readonly merkleProof: Uint8Array | null;
  /** Compressed coinbase. */
  readonly parentChainCoinbase: Uint8Array | null;
}

export type ProofOfWorkRules = Pick<Rules, "rskip92" | "rskip98" | "rskip180">;

/**
 * Verifies the proof-of-work rule, in the order of `spec/03 §3.1`. Block 0 has no proof and is never checked. Throws
 * {@link MergedMiningError} with the code of the check that failed.
 */
export function verifyProofOfWork(
  input: ProofOfWorkInput,
  rules: ProofOfWorkRules,
  network: Pick<NetworkConfig, "consensus">,
  fallbackKeys = FALLBACK_KEYS,
): void {
  if (isFallback(input, rules, network)) {
    const field = input.parentChainHeader ?? new Uint8Array(0);
    verifyFallbackSignature(field, mergedMiningHash(input), input.number, fallbackKeys);
    return;
  }
  const proof = checkProofForm(input.merkleProof, rules);
  const coinbaseField = input.parentChainCoinbase;
  if (coinbaseField === null) throw new MergedMiningError({ code: "COINBASE_MISSING" });
  const header = checkParentHeader(input.parentChainHeader, rules);
  const target = proofOfWorkTarget(input.difficulty ?? 0n);
  const work = parentHeaderWork(header);
  if (work > target) throw new MergedMiningError({ code: "TARGET", target, actual: work });
  const coinbase = splitCoinbase(coinbaseField);
  checkTag(coinbase.tail, mergedMiningHash(input));
  checkMerkleProof(coinbaseId(coinbase), proof, parentHeaderMerkleRoot(header), rules);
}

/** Whether the header is signed instead of mined (`spec/03 §3.5`). */
function isFallback(
  input: ProofOfWorkInput,
  rules: ProofOfWorkRules,
  network: Pick<NetworkConfig, "consensus">,
): boolean {
  return (
    !rules.rskip98 &&
    input.parentChainCoinbase === null &&
    (input.merkleProof === null || input.merkleProof.length === 0) &&
    (input.difficulty ?? 0n) <= network.consensus.fallbackMiningDifficulty
  );
}

function mergedMiningHash(input: ProofOfWorkInput): Uint8Array {
  try {
    return input.hashForMergedMining;
  } catch (error) {
    const reason = messageOf(error);
    throw new MergedMiningError({ code: "MERGED_MINING_HASH", reason }, { cause: error });
  }
}

/** Performs step 2 for RSKIP-92 proofs. A partial tree is checked when it is decoded, with the same result. */
function checkProofForm(proof: Uint8Array | null, rules: ProofOfWorkRules): Uint8Array {
  if (proof === null) throw new MergedMiningError({ code: "PROOF_MISSING" });
  if (!rules.rskip92) return proof;
  if (rules.rskip180 && proof.length > MAX_MERKLE_PROOF) {
    throw new MergedMiningError({ code: "PROOF_TOO_LONG", maximum: MAX_MERKLE_PROOF, actual: proof.length });
  }
  if (proof.length % 32 !== 0) {
    throw new MergedMiningError({ code: "PROOF_FORMAT", reason: `${proof.length} bytes are not a multiple of 32` });
  }
  return proof;
}

function checkParentHeader(header: Uint8Array | null, rules: ProofOfWorkRules): Uint8Array {
  if (header === null) throw new MergedMiningError({ code: "PARENT_HEADER_MISSING" });
  if (header.length < PARENT_HEADER_LENGTH || (rules.rskip98 && header.length !== PARENT_HEADER_LENGTH)) {
    throw new MergedMiningError({
      code: "PARENT_HEADER_SIZE",
      expected: PARENT_HEADER_LENGTH,
      actual: header.length,
    });
  }
  checkParentTransactions(header, PARENT_HEADER_LENGTH);
  return header;
}

function checkMerkleProof(id: Uint8Array, proof: Uint8Array, expected: Uint8Array, rules: ProofOfWorkRules): void {
  if (rules.rskip92) {
    checkRoot(expected, compactProofRoot(id, proof));
    return;
  }
  const { root, matched } = evaluatePartialTree(decodePartialTree(proof));
  checkRoot(expected, root);
  if (!matched.some((leaf) => equalBytes(leaf, id))) throw new MergedMiningError({ code: "COINBASE_NOT_PROVEN" });
}

function checkRoot(expected: Uint8Array, actual: Uint8Array): void {
  if (!equalBytes(expected, actual)) throw new MergedMiningError({ code: "MERKLE_ROOT", expected, actual });
}
