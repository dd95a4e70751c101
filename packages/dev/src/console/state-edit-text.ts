import { STATE_EDITOR_ADDRESS } from "@cambium/config";
import { decodeStateEdits } from "@cambium/contracts";
import { equalBytes } from "@cambium/primitives";
import { addressText } from "./abi-text.js";

/**
 * Returns `sets balance of 0x2B2b…` for a transaction by which a tool has changed the state; undefined for any other.
 */
export function stateEditText(to: Uint8Array, data: Uint8Array): string | undefined {
  if (!equalBytes(to, STATE_EDITOR_ADDRESS)) return undefined;
  try {
    const [first, ...others] = decodeStateEdits(data);
    if (first === undefined) return undefined;
    const what = first.kind === "removal" ? "removes" : `sets ${first.kind} of`;
    return `${what} ${addressText(first.address, "short")}${others.length === 0 ? "" : ` and ${others.length} more`}`;
  } catch {
    // Only blocks of other programs can contain such a transaction.
    return undefined;
  }
}
