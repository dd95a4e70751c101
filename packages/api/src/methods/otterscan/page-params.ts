import { echo, invalidParams } from "../../errors.js";
import type { ParamType } from "../../params/param-type.js";
import { NUMBER } from "../../params/value-types.js";

const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);
/** Largest page, as Erigon allows for blocks. */
const MAX_PAGE_SIZE = 255;

/** Number of a block or of a page. Larger ones than safe integers are clamped: no chain reaches them. */
export const COUNT: ParamType<number> = {
  name: "COUNT",
  schema: NUMBER.schema,
  parse(value) {
    const number = NUMBER.parse(value);
    return Number(number < MAX_COUNT ? number : MAX_COUNT);
  },
};

export const PAGE_SIZE: ParamType<number> = {
  name: "PAGE_SIZE",
  schema: { ...NUMBER.schema, title: `1 to ${MAX_PAGE_SIZE}` },
  parse(value) {
    const size = COUNT.parse(value);
    if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
    throw invalidParams(`Invalid page size ${echo(value)}: expected 1 to ${MAX_PAGE_SIZE}.`);
  },
};
