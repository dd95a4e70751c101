import { ContractFailure } from "@cambium/state";

/** Why a call to a native contract failed. What that does to the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class NativeContractError extends ContractFailure<
  /** No method can be run with this data: `spec/04 §6.7`. */
  | { code: "INVALID_CALL"; contract: string; selector: string }
  | { code: "INVALID_ARGUMENT"; method: string; argument: string; reason: string }
  | { code: "BLOCK_DATA_ABSENT"; method: string; field: string }
  /** Fees are distributed for the block's own reward transaction only: `spec/05 §4.2`. */
  | { code: "NOT_REWARD_TRANSACTION" }
  /** An ancestor that every valid chain has is not stored: `spec/05 §4.5`. */
  | { code: "MISSING_ANCESTOR"; number: number }
> {}
