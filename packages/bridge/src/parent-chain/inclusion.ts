import {
  decodePartialTree,
  evaluatePartialTree,
  MergedMiningError,
  type PartialTreeProof,
  sha256d,
} from "@cambium/merged-mining";
import { equalBytes, reverseBytes } from "@cambium/primitives";
import { ByteReader } from "../bitcoin/byte-reader.js";
import { BridgeError } from "../errors.js";
import type { BridgeSession } from "../session.js";
import { isWitnessRoot } from "./confirmations.js";
import { merkleRoot, parentBlockHash } from "./header-hash.js";

/** Evaluates a partial Merkle tree. Throws {@link BridgeError} `ILLEGAL_ARGUMENT` if it is malformed. */
export function proofOf(tree: Uint8Array): PartialTreeProof {
  try {
    return evaluatePartialTree(decodePartialTree(tree));
  } catch (error) {
    if (!(error instanceof MergedMiningError)) throw error;
    throw new BridgeError({ code: "ILLEGAL_ARGUMENT", method: "proof of inclusion", reason: error.code });
  }
}

/**
 * Whether the transaction's bytes claim to have no inputs. From RSKIP-143 on, only the witness form can make that
 * claim. Marker, flag and count are read at bytes 4, 5 and 6, whatever their actual lengths.
 */
function hasNoInputs(raw: Uint8Array, rskip143: boolean): boolean {
  if (variableAt(raw, 4) !== 0n) return false;
  return !rskip143 || (variableAt(raw, 5) === 1n && variableAt(raw, 6) === 0n);
}

function variableAt(raw: Uint8Array, offset: number): bigint {
  return new ByteReader(raw.subarray(offset)).variable();
}

/**
 * Whether a transaction is in the best chain's block of that height with enough confirmations: `spec/06b-1 §4.2`. Its
 * bytes, with or without witnesses, are proven against the block's Merkle root or its registered witness root. Throws
 * {@link BridgeError} if the arguments are invalid.
 */
export function isIncluded(session: BridgeSession, raw: Uint8Array, height: number, tree: Uint8Array): boolean {
  const { blocks, network, rules } = session;
  if (height < 0 || ((blocks.head().height - height + 1) | 0) < network.bridge.parentConfirmations) return false;
  const { matched, root } = proofOf(tree);
  const hash = sha256d(raw);
  if (!matched.some((leaf) => equalBytes(leaf, hash))) return false;
  if (hasNoInputs(raw, rules.rskip143)) throw new BridgeError({ code: "PARENT_TRANSACTION", reason: "no inputs" });
  const block = blocks.atHeight(height);
  if (block === undefined || block === "error") {
    throw new BridgeError({ code: "METHOD_FAILED", method: "inclusion", reason: "no such block" });
  }
  const displayed = reverseBytes(root);
  if (equalBytes(displayed, merkleRoot(block.header))) return true;
  return isWitnessRoot(session, displayed, parentBlockHash(block.header));
}
