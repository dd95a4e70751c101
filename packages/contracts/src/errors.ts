import { CambiumError } from "@cambium/primitives";

/** Why a call to a native contract failed. What that does to the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class NativeContractError extends CambiumError<
  /** No method can be run with this data: `spec/04 §6.7`. */
  | { code: "INVALID_CALL"; contract: string; selector: string }
  | { code: "INVALID_ABI"; what: string }
  | { code: "INVALID_ARGUMENT"; method: string; argument: string; reason: string }
  | { code: "BLOCK_DATA_ABSENT"; method: string; field: string }
  /** Fees are distributed for the block's own reward transaction only: `spec/05 §4.2`. */
  | { code: "NOT_REWARD_TRANSACTION" }
  /** An ancestor that every valid chain has is not stored: `spec/05 §4.5`. */
  | { code: "MISSING_ANCESTOR"; number: number }
  | { code: "INVALID_PUBLIC_KEY"; key: Uint8Array }
  /** Why the bridge refuses a call before its method runs: `spec/06a §1.2`. */
  | { code: "CALLED_BY_CONTRACT" }
  | { code: "LOCAL_CALL_ONLY"; method: string }
  | { code: "CALL_KIND"; method: string; kind: string }
  /** A bridge method refused its arguments or the state: `spec/06b`, "throw". */
  | { code: "METHOD_FAILED"; method: string; reason: string }
  /** A cell that cannot be a parent-chain block: `spec/06b-1 §3.1`. */
  | { code: "STORED_BLOCK"; length: number }
  /** A script that the parent chain's limits do not allow: `spec/06b-2 §1.2`. */
  | { code: "SCRIPT_SIZE"; size: number; maximum: number }
> {}
