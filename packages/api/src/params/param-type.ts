import type { MethodErrorName } from "../errors.js";
import type { DepthTags } from "./depth-tags.js";

/** A JSON Schema, for the generated documentation. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Parser of one JSON parameter. */
export interface ParamType<T> {
  /** Name in the specification: `ADDRESS`, `HASH32`, … */
  readonly name: string;
  readonly schema: JsonSchema;
  /** False if a JSON integer is refused; otherwise it is taken by its decimal text. */
  readonly takesIntegers?: false;
  /** Errors of values that are not accepted, besides `INVALID_PARAMS`. */
  readonly errors?: readonly MethodErrorName[];
  /** Throws {@link RpcError} `INVALID_PARAMS` if the value is not accepted. `tags` resolves `safe` and `finalized`. */
  parse(value: unknown, tags?: DepthTags): T;
}
