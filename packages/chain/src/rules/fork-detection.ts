import { type NetworkConfig, rulesAt } from "@cambium/config";
import { MergedMiningError, verifyForkDetectionData } from "@cambium/merged-mining";
import type { AncestorReader } from "@cambium/state";
import { type BlockHeader, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/**
 * `spec/02 §3.6`, C2-10 (RSKIP-110): the header commits to its branch's recent past. `branch` contains the header's
 * parent, whose number is given apart because the header's own may be wrong. Reads 39 headers.
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
    // TypesError: the data are not where they must be in the parent-chain coinbase
    if (!(error instanceof MergedMiningError || error instanceof TypesError)) throw error;
    throw new BlockError({ code: "FORK_DETECTION_DATA", reason: error.message }, { cause: error });
  }
}
