/** Part of a JSON Schema, for the generated documentation. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** How one JSON value becomes what a handler works with. */
export interface ParamType<T> {
  /** As the specification calls it: `ADDRESS`, `HASH32`, … */
  readonly name: string;
  readonly schema: JsonSchema;
  /** Throws {@link RpcError} `INVALID_PARAMS` on anything it does not accept. */
  parse(value: unknown): T;
}
