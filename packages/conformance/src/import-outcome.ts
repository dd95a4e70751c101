import { BlockError, type ImportResult } from "@cambium/chain";

/** The reference's names of import results. */
export function resultName(result: ImportResult): string {
  switch (result.kind) {
    case "imported-best":
      return "IMPORTED_BEST";
    case "imported-side":
      return "IMPORTED_NOT_BEST";
    case "already-known":
      return "EXIST";
    case "missing-parent":
      return "NO_PARENT";
    case "invalid":
      return "INVALID_BLOCK";
  }
}

/** The result's name and, for an invalid block, the fault. */
export function describeResult(result: ImportResult): string {
  return result.kind === "invalid" ? `INVALID_BLOCK (${new BlockError(result.fault).message})` : resultName(result);
}
