import { FORK_DETECTION_HEADERS, type NetworkConfig, rulesAt } from "@cambium/config";
import { bytesToNumber } from "@cambium/primitives";
import { type BlockHeader, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/**
 * Checks the part of the fork-detection rule that needs no ancestors (RSKIP-110, `spec/03 §5.1`): the data are present
 * and end with the block's number. The full rule also compares them with the branch. Neither applies at height 449.
 */
export function forkDetectionFormat(header: BlockHeader, network: NetworkConfig): void {
  if (!rulesAt(network, header.number).rskip110 || header.number <= FORK_DETECTION_HEADERS) return;
  const committed = bytesToNumber(forkDetectionData(header).subarray(8, 12));
  if (committed === header.number % 2 ** 32) return;
  throw new BlockError({ code: "FORK_DETECTION_DATA", reason: `commits to block ${committed}` });
}

function forkDetectionData(header: BlockHeader): Uint8Array {
  try {
    return header.forkDetectionData;
  } catch (error) {
    if (!(error instanceof TypesError)) throw error;
    throw new BlockError({ code: "FORK_DETECTION_DATA", reason: error.message }, { cause: error });
  }
}
