import { ContractFailure } from "@cambium/state";

/** Why a call to the bridge failed. The effect on the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class BridgeError extends ContractFailure<
  /** The data does not select an enabled method with valid arguments: `spec/06a §1.1`. */
  | { code: "INVALID_CALL"; selector: string }
  | { code: "INVALID_PUBLIC_KEY"; key: Uint8Array }
  /** Why the bridge rejects a call before running its method: `spec/06a §1.2`. */
  | { code: "LOCAL_CALL_ONLY"; method: string }
  | { code: "CALL_KIND"; method: string; kind: string }
  /** A bridge method rejected its arguments or the state: `spec/06b`, "throw". */
  | { code: "METHOD_FAILED"; method: string; reason: string }
  /** A `METHOD_FAILED` whose call succeeds with null output before RSKIP-88: `spec/06a §1.3`, "illegal argument". */
  | { code: "ILLEGAL_ARGUMENT"; method: string; reason: string }
  /** A parent-chain header that violates a consensus rule: `spec/06b-1 §3.3`. */
  | { code: "PARENT_HEADER"; reason: string }
  /** A cell that cannot be decoded as a parent-chain block: `spec/06b-1 §3.1`. */
  | { code: "STORED_BLOCK"; length: number }
  /** A cell that cannot be decoded as the list that the bridge writes to it: `spec/06a §5.2`. */
  | { code: "STORED_LIST"; what: string }
  /**
   * A federation's creation time exceeds 64 bits of milliseconds; only possible on networks without timestamp rules.
   */
  | { code: "CREATION_TIME"; time: bigint }
  /** A script that exceeds the parent chain's limits: `spec/06b-2 §1.2`. */
  | { code: "SCRIPT_SIZE"; size: number; maximum: number }
  /** A malformed parent-chain transaction, or one that fails the basic checks: `spec/06b-3 §1`. */
  | { code: "PARENT_TRANSACTION"; reason: string }
  /** A malformed ASN.1 element: `spec/06b-3 §8`. */
  | { code: "ASN1"; reason: string }
  /** A malformed script, such as one whose last push is truncated: `spec/06b-3 §1.1`. */
  | { code: "PARENT_SCRIPT"; reason: string }
  /** A UTXO that no active or retiring federation can spend: `spec/06b-3 §6.2`. */
  | { code: "UNSPENDABLE_COIN" }
> {}
