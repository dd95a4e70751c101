import type { ImportResult } from "@cambium/chain";
import { MinerError, type SubmittedBlock, type Work } from "@cambium/miner";
import { toData, toHex, toQuantity, utf8 } from "@cambium/primitives";
import { invalidParams, type RpcError, serverError, submissionRefused } from "../errors.js";

/** Result of the `mnr_submit…` methods (`spec/03 §7.4`). */
export interface SubmittedBlockObject {
  /** ASCII name of the import result, as DATA. */
  blockImportedResult: string;
  blockHash: string;
  blockIncludedHeight: string;
}

const IMPORT_RESULTS: Readonly<Record<ImportResult["kind"], string>> = {
  "imported-best": "IMPORTED_BEST",
  "imported-side": "IMPORTED_NOT_BEST",
  "already-known": "EXIST",
  "missing-parent": "NO_PARENT",
  invalid: "INVALID_BLOCK",
};

export function submittedBlockObject({ result, hash, number }: SubmittedBlock): SubmittedBlockObject {
  return {
    blockImportedResult: toData(utf8(IMPORT_RESULTS[result.kind])),
    blockHash: toData(hash),
    blockIncludedHeight: toQuantity(number),
  };
}

export const NO_MINER = "the node serves no work: start it with --miner.server and --miner.address <address>";

/** Result of `mnr_getWork` (`spec/03 §7.2`). */
export function workObject(work: Work): object {
  return {
    blockHashForMergedMining: toData(work.hashForMergedMining),
    target: word(work.target),
    feesPaidToMiner: String(work.feesPaidToMiner),
    notify: work.notify,
    parentBlockHash: toData(work.parentBlockHash),
  };
}

/** 32 bytes. */
export function word(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}

/** Runs an action of the miner and converts its failures to the errors of `spec/03 §7.4`. */
export async function mining<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof MinerError)) throw error;
    throw answerOf(error) ?? error;
  }
}

function answerOf({ details }: MinerError): RpcError | undefined {
  switch (details.code) {
    case "NO_WORK":
      return serverError("mining work not available");
    case "RATE_LIMITED":
      return submissionRefused("Cannot publish block, block submission rate limit exceeded");
    case "UNKNOWN_WORK":
      return submissionRefused(
        `Cannot publish block, could not find hash ${toData(details.hashForMergedMining)} in the cache`,
      );
    case "INVALID_PROOF": {
      const { blockHash, hashForMergedMining, number, reason } = details;
      const hashes = `${toHex(blockHash)} ${toHex(hashForMergedMining)}`;
      return submissionRefused(`Invalid block supplied by miner: ${hashes} at height ${number}: ${reason}`);
    }
    case "MERKLE_HASHES_EMPTY":
      return submissionRefused("The list of merkle hashes can't be empty");
    case "MALFORMED":
      return invalidParams(`Invalid ${details.what}: ${details.reason}`);
    case "TIMESTAMP": {
      const { timestamp, latest } = details;
      return invalidParams(`Timestamp ${timestamp} is lower than or equal to previous block's timestamp ${latest}`);
    }
    case "DEPTH":
      return invalidParams(`Cannot remove ${details.depth} blocks: the best block has the number ${details.height}`);
    case "GAS_LIMIT": {
      const { limit, lowest, highest } = details;
      return invalidParams(`A block cannot have the gas limit ${limit}: it must be from ${lowest} to ${highest}`);
    }
    default:
      return undefined;
  }
}
