import { canonicalParentHeader, parentHeaderHash, taggedCoinbase, transactionId } from "@cambium/merged-mining";
import { equalBytes, reverseBytes } from "@cambium/primitives";
import { MinerError } from "../errors.js";
import type { BlockTemplate, EthWork } from "../interface.js";
import { type Solution, solutionOfCoinbase } from "./submission.js";

// Ethash methods on a merge-mined chain: `spec/03 §8.5`.

/** Result of `eth_getWork` for a template. */
export function ethWorkOf({ hashForMergedMining, target }: BlockTemplate): EthWork {
  const merkleRoot = transactionId(taggedCoinbase(hashForMergedMining));
  return { headerHash: hashForMergedMining, merkleRoot, target };
}

/**
 * The parent block that an `eth_submitWork` describes, or undefined if the digest is not its hash. Throws
 * {@link MinerError} `MALFORMED` for wrong sizes.
 */
export function ethSolution(nonce: Uint8Array, headerHash: Uint8Array, mixDigest: Uint8Array): Solution | undefined {
  checkSize("nonce", nonce, 8);
  checkSize("header hash", headerHash, 32);
  checkSize("mix digest", mixDigest, 32);
  const coinbase = taggedCoinbase(headerHash);
  const view = new DataView(nonce.buffer, nonce.byteOffset);
  const header = canonicalParentHeader(transactionId(coinbase), view.getUint32(0), view.getUint32(4));
  if (!equalBytes(reverseBytes(parentHeaderHash(header)), mixDigest)) return undefined;
  return solutionOfCoinbase(header, coinbase);
}

function checkSize(what: string, bytes: Uint8Array, size: number): void {
  if (bytes.length === size) return;
  throw new MinerError({ code: "MALFORMED", what, reason: `${bytes.length} bytes, expected ${size}` });
}
