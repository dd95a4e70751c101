import { ContractFailure } from "@cambium/state";

/** Why a call to a native contract failed. The effect on the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class NativeContractError extends ContractFailure<
  /** The data does not select an enabled method with valid arguments: `spec/04 §6.7`. */
  | { code: "INVALID_CALL"; contract: string; selector: string }
  | { code: "INVALID_ARGUMENT"; method: string; argument: string; reason: string }
  | { code: "BLOCK_DATA_ABSENT"; method: string; field: string }
  /** Fees are only distributed in the block's own reward transaction: `spec/05 §4.2`. */
  | { code: "NOT_REWARD_TRANSACTION" }
  /** An ancestor that every valid chain has is missing: `spec/05 §4.5`. */
  | { code: "MISSING_ANCESTOR"; number: number }
  /** The state editor obeys direct transactions of one account only. */
  | { code: "NOT_STATE_EDITOR" }
  | { code: "INVALID_EDIT"; reason: string }
> {}
