export {
  type BlockTemplate,
  type CoinbaseParts,
  coinbaseParts,
  encodeTemplateBlock,
  joinCoinbase,
  TAG_PLACES,
  type TagPlace,
  type TemplateBlock,
  templateBlock,
} from "./block-template.js";
export { checkTag, coinbaseId, compressCoinbase, splitCoinbase, TAG, taggedHash } from "./coinbase.js";
export { MergedMiningError } from "./errors.js";
export {
  type AncestorByDistance,
  composeForkDetectionData,
  type ForkDetectionAncestor,
  forkDetectionData,
  verifyForkDetectionData,
} from "./fork-detection.js";
export { combineNodes, compactProof, compactProofRoot, looksLikeTransaction, merkleBranch } from "./merkle-proof.js";
export { buildParentBlock, canonicalParentHeader, taggedCoinbase } from "./parent-block-building.js";
export { decodeParentHeader, PARENT_HEADER_LENGTH, parentHeaderHash, parentHeaderWork } from "./parent-header.js";
export { splitParentBlock, stripWitness, transactionId } from "./parent-transaction.js";
export {
  decodePartialTree,
  evaluatePartialTree,
  type PartialTreeProof,
  partialTreeOfBranch,
} from "./partial-merkle-tree.js";
export { verifyProofOfWork } from "./proof-of-work.js";
export { sha256, sha256d } from "./sha256.js";
export { proofOfWorkTarget } from "./target.js";
