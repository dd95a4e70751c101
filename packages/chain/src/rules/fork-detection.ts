import { type NetworkConfig, rulesAt } from "@cambium/config";
import { MergedMiningError, verifyForkDetectionData } from "@cambium/merged-mining";
import type { AncestorReader } from "@cambium/state";
import { type BlockHeader, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/**
 * `spec/02 §3.6`, C2-10 (RSKIP-110): the header commits to recent blocks of its branch. `branch` ends with the parent,
 * whose number is passed separately because the header's may be wrong. Reads 39 headers.
 */
export function forkDetectionData(
  header: BlockHeader,
  parentNumber: number,
  branch: AncestorReader,
  network: NetworkConfig,
): void {
  try {
    const rules = rulesAt(network, header.number);
    verifyForkDetectionData(header, rules, (distance) => branch.header(parentNumber - distance));
  } catch (error) {
    // TypesError: the parent-chain coinbase does not have the data at the required position.
    if (!(error instanceof MergedMiningError || error instanceof TypesError)) throw error;
    throw new BlockError({ code: "FORK_DETECTION_DATA", reason: error.message }, { cause: error });
  }
}
