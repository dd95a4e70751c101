import { type NetworkConfig, rulesAt } from "@cambium/config";
import { MergedMiningError, verifyProofOfWork } from "@cambium/merged-mining";
import type { BlockHeader } from "@cambium/types";
import { BlockError } from "../faults.js";

/** `spec/03 §3`: a merged-mining proof, or before RSKIP-98 alternatively a signature by one of two keys. */
export function proofOfWork(header: BlockHeader, network: NetworkConfig): void {
  try {
    verifyProofOfWork(header, rulesAt(network, header.number), network);
  } catch (error) {
    if (!(error instanceof MergedMiningError)) throw error;
    throw new BlockError({ code: "PROOF_OF_WORK", reason: error.message }, { cause: error });
  }
}
