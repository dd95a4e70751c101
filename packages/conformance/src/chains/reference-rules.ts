import type { BlockFault } from "@cambium/chain";

type Code = BlockFault["code"];

const UNCLES: Code[] = [
  "UNCLES_HASH",
  "UNCLE_LIST_SIZE",
  "UNCLE_HEADER",
  "UNCLE_GAS_USED",
  "UNCLE_NUMBER",
  "UNCLE_DUPLICATE",
  "UNCLE_IS_ANCESTOR",
  "UNCLE_ALREADY_USED",
  "UNCLE_PARENT",
];

/** Fault codes of this node that correspond to a rule name of the reference client. */
const CODES_OF_RULE: Readonly<Record<string, readonly Code[]>> = {
  BlockTxsValidationRule: ["TRANSACTION_FIELDS", "TRANSACTION_NONCE", "DECODING"],
  PrevMinGasPriceRule: ["MINIMUM_GAS_PRICE_STEP"],
  BlockParentNumberRule: ["PARENT_NUMBER", "GENESIS_NUMBER"],
  BlockDifficultyRule: ["DIFFICULTY"],
  BlockParentGasLimitRule: ["GAS_LIMIT_STEP"],
  GasLimitRule: ["GAS_LIMIT_MINIMUM"],
  ProofOfWorkRule: ["PROOF_OF_WORK", "DECODING"],
  BlockUnclesValidationRule: UNCLES,
  BlockUnclesHashValidationRule: ["UNCLES_HASH"],
  BlockRootValidationRule: ["TRANSACTIONS_ROOT", "DECODING"],
  ValidTxExecutionSublistsEdgesRule: ["EXECUTION_EDGES"],
  TxsMinGasPriceRule: ["TRANSACTION_GAS_PRICE_MINIMUM"],
  BlockTxsMaxGasPriceRule: ["TRANSACTION_GAS_PRICE_CAP"],
  RemascValidationRule: ["REWARD_TRANSACTION"],
  ExtraDataRule: ["EXTRA_DATA_SIZE"],
  ForkDetectionDataRule: ["FORK_DETECTION_DATA", "DECODING"],
  BlockTimeStampValidationRule: ["TIMESTAMP_FUTURE", "TIMESTAMP_PARENT_CHAIN", "TIMESTAMP_PARENT"],
  decoding: ["DECODING"],
};

const CODES_OF_EXECUTION: readonly [start: string, codes: readonly Code[]][] = [
  ["state root", ["STATE_ROOT"]],
  ["receipts root", ["RECEIPTS_ROOT"]],
  ["logs bloom", ["LOGS_BLOOM"]],
  ["gas used", ["GAS_USED"]],
  ["paid fees", ["PAID_FEES"]],
  ["collision", ["EXECUTION_COLLISION"]],
  // A list that reuses another's sender has a wrong nonce if lists are isolated, and a collision if they are not.
  ["invalid transaction: nonce", ["EXECUTION", "EXECUTION_COLLISION"]],
  ["invalid transaction", ["EXECUTION", "EXECUTION_SEQUENTIAL_ONLY", "GAS_LIMIT_RANGE"]],
];

/** A vector's reason for a block rejected by the reference. */
export interface ReferenceReason {
  rejectedBy: string;
  failedRules?: readonly string[];
  executionReason?: string;
}

/**
 * Whether a fault matches the reference's reason. If several rules reject a block, any of them is accepted: the verdict
 * is consensus, the order of rules is not (`spec/02 §3.1`).
 */
export function isSameReason(code: Code, reason: ReferenceReason): boolean {
  if (reason.rejectedBy === "execution") return codesOfExecution(reason.executionReason ?? "").includes(code);
  return [reason.rejectedBy, ...(reason.failedRules ?? [])].some((rule) => codesOf(rule).includes(code));
}

function codesOf(rule: string): readonly Code[] {
  return CODES_OF_RULE[rule.replace(" (by an exception)", "")] ?? [];
}

function codesOfExecution(reason: string): readonly Code[] {
  return CODES_OF_EXECUTION.find(([start]) => reason.startsWith(start))?.[1] ?? [];
}
