import { ContractFailure } from "@cambium/state";

/** Why a call to the bridge failed. What that does to the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class BridgeError extends ContractFailure<
  /** No method can be run with this data: `spec/06a §1.1`. */
  | { code: "INVALID_CALL"; selector: string }
  | { code: "INVALID_PUBLIC_KEY"; key: Uint8Array }
  /** Why the bridge refuses a call before its method runs: `spec/06a §1.2`. */
  | { code: "LOCAL_CALL_ONLY"; method: string }
  | { code: "CALL_KIND"; method: string; kind: string }
  /** A bridge method refused its arguments or the state: `spec/06b`, "throw". */
  | { code: "METHOD_FAILED"; method: string; reason: string }
  /** The same where the call succeeds with null output before RSKIP-88: `spec/06a §1.3`, "illegal argument". */
  | { code: "ILLEGAL_ARGUMENT"; method: string; reason: string }
  /** A parent-chain header that breaks a rule of its chain: `spec/06b-1 §3.3`. */
  | { code: "PARENT_HEADER"; reason: string }
  /** A cell that cannot be a parent-chain block: `spec/06b-1 §3.1`. */
  | { code: "STORED_BLOCK"; length: number }
  /** A federation's time that has no room in 64 bits of milliseconds. Only where timestamps have no rule. */
  | { code: "CREATION_TIME"; time: bigint }
  /** A script that the parent chain's limits do not allow: `spec/06b-2 §1.2`. */
  | { code: "SCRIPT_SIZE"; size: number; maximum: number }
  /** Bytes that are no parent-chain transaction, or one that fails the basic checks: `spec/06b-3 §1`. */
  | { code: "PARENT_TRANSACTION"; reason: string }
  /** Bytes that are no ASN.1 element: `spec/06b-3 §8`. */
  | { code: "ASN1"; reason: string }
  /** A script whose last push is cut short: `spec/06b-3 §1.1`. */
  | { code: "PARENT_SCRIPT"; reason: string }
  /** A coin that no live federation can spend: `spec/06b-3 §6.2`. */
  | { code: "UNSPENDABLE_COIN" }
> {}
