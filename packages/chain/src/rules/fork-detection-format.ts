import { FORK_DETECTION_HEADERS, type NetworkConfig, rulesAt } from "@cambium/config";
import { bytesToNumber } from "@cambium/primitives";
import { type BlockHeader, TypesError } from "@cambium/types";
import { BlockError } from "../faults.js";

/**
 * What fork-detection data show without the header's ancestors (RSKIP-110, `spec/03 §5.1`): they are there, and end in
 * the block's own number. The rule itself also compares them with the branch. Like it, it leaves out height 449.
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
