import { echo, invalidParams } from "../../errors.js";
import type { ParamType } from "../../params/param-type.js";
import { NUMBER } from "../../params/value-types.js";

/** A thousand years, in seconds. */
const MAX_SHIFT = 1000 * 366 * 86_400;

/** A number, decimal digits, or hex digits after `0x`. The low 64 bits count and must not exceed {@link MAX_SHIFT}. */
export const SECONDS: ParamType<number> = {
  name: "SECONDS",
  schema: { anyOf: [{ type: "string", pattern: "^(0x[0-9a-fA-F]+|-?[0-9]+)$" }, { type: "integer" }] },
  parse(value) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || text.length > 80 || !/^(0x[0-9a-fA-F]+|-?[0-9]+)$/.test(text)) {
      throw invalidParams(`invalid number of seconds ${echo(value)}`);
    }
    const seconds = BigInt.asIntN(64, BigInt(text));
    if (seconds > BigInt(MAX_SHIFT)) throw invalidParams(`invalid number of seconds ${echo(value)}`);
    return seconds < BigInt(-MAX_SHIFT) ? -MAX_SHIFT : Number(seconds);
  },
};

/** No test needs so late a time in seconds: it is one in milliseconds. */
const MILLISECONDS = 10n ** 12n;

/** Seconds since 1970. */
export const TIMESTAMP: ParamType<bigint> = {
  name: "TIMESTAMP",
  schema: { ...NUMBER.schema, title: "time in seconds since 1970, QUANTITY or decimal" },
  parse(value) {
    const seconds = NUMBER.parse(value);
    if (seconds >= MILLISECONDS) {
      throw invalidParams(`invalid time ${echo(value)}: it is in seconds, did you mean ${seconds / 1000n}?`);
    }
    return seconds;
  },
};
