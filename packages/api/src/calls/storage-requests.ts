import { bigintToFixedBytes } from "@cambium/primitives";
import { invalidParams } from "../errors.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, NUMBER, objectOf } from "../params/value-types.js";

/** Cells of one account to read. */
export interface StorageRequest {
  address: Uint8Array;
  /** 32 bytes each. */
  keys: readonly Uint8Array[];
}

/** Maximum number of cells in a request, as in go-ethereum. */
const MAX_CELLS = 1024;

/** Lists of cells by address: at least one cell, at most {@link MAX_CELLS} in all. */
export const STORAGE_REQUESTS: ParamType<readonly StorageRequest[]> = {
  name: "STORAGE_REQUESTS",
  schema: { type: "object", additionalProperties: { type: "array", items: NUMBER.schema } },
  parse(value) {
    let cells = 0;
    const requests = Object.entries(objectOf(value)).map(([address, positions]): StorageRequest => {
      if (!Array.isArray(positions))
        throw invalidParams("Invalid storage request: the cells of an account are a list.");
      cells += positions.length;
      if (cells > MAX_CELLS) throw invalidParams(`too many slots (max ${MAX_CELLS})`);
      const keys = positions.map((position) => bigintToFixedBytes(NUMBER.parse(position), 32));
      return { address: ADDRESS.parse(address), keys };
    });
    if (cells === 0) throw invalidParams("empty request");
    return requests;
  },
};
