import { equalBytes, utf8 } from "@cambium/primitives";
import type { ParentAddress } from "../bitcoin/address.js";
import { OP, tryParseScript } from "../bitcoin/script.js";
import type { ParentTransaction } from "../bitcoin/transaction.js";

// The sender's instructions in an OP_RETURN output: spec/06b-3 §3.3 (RSKIP-170).

export interface Instructions {
  /** Account to credit. */
  readonly destination: Uint8Array;
  readonly refund?: ParentAddress;
}

const PREFIX = utf8("RSKT");
const DESTINATION = 5;
const REFUND_KIND = 25;
const REFUND_HASH = 26;
const END = 46;
const REFUND_KINDS: Readonly<Record<number, ParentAddress["kind"]>> = { 1: "key", 2: "script" };

/** The instructions, undefined if there are none, `"invalid"` if they cannot be parsed. */
export function findInstructions({ outputs }: ParentTransaction): Instructions | undefined | "invalid" {
  const found: Uint8Array[] = [];
  for (const { script } of outputs) {
    const chunks = tryParseScript(script);
    if (chunks === undefined) return "invalid";
    const data = chunks[0]?.opcode === OP.return ? chunks[1]?.data : undefined;
    if (data !== undefined && equalBytes(data.subarray(0, PREFIX.length), PREFIX)) found.push(data);
  }
  if (found.length === 0) return undefined;
  return found.length > 1 ? "invalid" : parseInstructions(found[0]!);
}

function parseInstructions(data: Uint8Array): Instructions | "invalid" {
  if (data[PREFIX.length] !== 1 || (data.length !== REFUND_KIND && data.length !== END)) return "invalid";
  const destination = data.subarray(DESTINATION, REFUND_KIND);
  if (data.length === REFUND_KIND) return { destination };
  const kind = REFUND_KINDS[data[REFUND_KIND]!];
  return kind === undefined ? "invalid" : { destination, refund: { kind, hash: data.subarray(REFUND_HASH) } };
}
