import type { NetworkConfig } from "@cambium/config";
import { compressCoinbase, PARENT_HEADER_LENGTH, proofOfWorkTarget, taggedCoinbase } from "@cambium/merged-mining";
import { EMPTY_BYTES } from "@cambium/primitives";
import { Block, TypesError } from "@cambium/types";
import { MinerError } from "../errors.js";
import type { BlockTemplate } from "../interface.js";

/**
 * Encodes a template as a block without proof of work. Its coinbase has the tag, from which fork-detection data is read
 * (`RSKIP-110`).
 */
export function encodeTemplate({ header, transactions, uncles, hashForMergedMining }: BlockTemplate): Uint8Array {
  const unsolved = {
    parentChainHeader: new Uint8Array(PARENT_HEADER_LENGTH),
    merkleProof: EMPTY_BYTES,
    parentChainCoinbase: compressCoinbase(taggedCoinbase(hashForMergedMining)),
  };
  return new Block(header.with(unsolved), transactions, uncles).encode();
}

/**
 * Decodes the result of {@link encodeTemplate}, unvalidated until a solution is imported. Throws {@link MinerError}
 * `MALFORMED`.
 */
export function decodeTemplate(encoded: Uint8Array, network: NetworkConfig): BlockTemplate {
  try {
    const { header, transactions, uncles } = Block.decode(encoded, network);
    const { hashForMergedMining, difficultyValue } = header;
    return { header, transactions, uncles, hashForMergedMining, target: proofOfWorkTarget(difficultyValue) };
  } catch (error) {
    if (!(error instanceof TypesError)) throw error;
    throw new MinerError({ code: "MALFORMED", what: "block template", reason: error.message }, { cause: error });
  }
}
