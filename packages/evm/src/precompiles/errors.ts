import { ContractFailure } from "@cambium/state";

/** Why a precompiled contract failed. The effect on the caller depends on RSKIP-197: `spec/04 §4.3`. */
export class PrecompileError extends ContractFailure<
  | { code: "INVALID_POINT"; curve: "alt_bn128" | "secp256k1" }
  | { code: "INVALID_LENGTH"; contract: string; actual: number }
  | { code: "INVALID_FINAL_FLAG"; value: number }
  | { code: "DATA_ABSENT"; contract: string }
> {}
