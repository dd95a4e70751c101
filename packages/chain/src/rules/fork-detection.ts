import { type NetworkConfig, rulesAt } from "@cambium/config";
import {
  type AncestorByDistance,
  type ForkDetectionAncestor,
  MergedMiningError,
  PARENT_HEADER_LENGTH,
  verifyForkDetectionData,
} from "@cambium/merged-mining";
import type { AncestorReader } from "@cambium/state";
import { type BlockHeader, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/**
 * The blocks below a local fork count as blocks without uncles and with a parent-chain header of zeros: they need not
 * be read.
 */
const BELOW_FORK: ForkDetectionAncestor = { uncleCount: 0, parentChainHeader: new Uint8Array(PARENT_HEADER_LENGTH) };

/** Returns a reader of the ancestors of the child of block `parentNumber`, for fork detection. */
export function forkDetectionAncestors(
  branch: AncestorReader,
  parentNumber: number,
  { fork }: NetworkConfig,
): AncestorByDistance {
  return (distance) => {
    const number = parentNumber - distance;
    return fork !== undefined && number <= fork.number ? BELOW_FORK : branch.header(number);
  };
}

/**
 * Checks that the header commits to recent blocks of its branch (`spec/02 §3.6`, C2-10; RSKIP-110). `branch` ends with
 * the parent, whose number is passed separately because the header's may be wrong. Reads 39 headers.
 */
export function forkDetectionData(
  header: BlockHeader,
  parentNumber: number,
  branch: AncestorReader,
  network: NetworkConfig,
): void {
  try {
    const rules = rulesAt(network, header.number);
    verifyForkDetectionData(header, rules, forkDetectionAncestors(branch, parentNumber, network));
  } catch (error) {
    // TypesError: the parent-chain coinbase does not have the data at the required position.
    if (!(error instanceof MergedMiningError || error instanceof TypesError)) throw error;
    throw new BlockError({ code: "FORK_DETECTION_DATA", reason: error.message }, { cause: error });
  }
}
