import { type NetworkConfig, rulesAt } from "@cambium/config";
import { MergedMiningError, verifyProofOfWork } from "@cambium/merged-mining";
import type { BlockHeader } from "@cambium/types";
import { BlockError } from "../faults.js";

/** Headers whose proof was verified on a network. Locally produced blocks are verified before they are imported. */
const verified = new WeakMap<BlockHeader, NetworkConfig>();

/** `spec/03 §3`: a merged-mining proof, or before RSKIP-98 alternatively a signature by one of two keys. */
export function proofOfWork(header: BlockHeader, network: NetworkConfig): void {
  if (verified.get(header) === network) return;
  try {
    verifyProofOfWork(header, rulesAt(network, header.number), network);
    verified.set(header, network);
  } catch (error) {
    if (!(error instanceof MergedMiningError)) throw error;
    throw new BlockError({ code: "PROOF_OF_WORK", reason: error.message }, { cause: error });
  }
}
