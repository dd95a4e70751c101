import { randomBytes } from "node:crypto";
import { toHex } from "@cambium/primitives";
import type { ParamType } from "../params/param-type.js";
import { DATA } from "../params/value-types.js";

/** A random QUANTITY of 32 digits (`spec/09 §9.5`). */
export function newFilterId(): string {
  const bytes = randomBytes(16);
  // A quantity has no leading zero.
  if (bytes[0]! < 0x10) bytes[0]! += 0x10;
  return `0x${toHex(bytes)}`;
}

/** Accepts any bytes and normalises them to a quantity: lower case, without leading zeros. */
export const FILTER_ID: ParamType<string> = {
  name: "FILTER_ID",
  schema: { type: "string", pattern: "^0x[1-9a-f][0-9a-f]*$" },
  parse: (value) => `0x${toHex(DATA.parse(value)).replace(/^0+/, "")}`,
};
