import type { JsonSchema } from "../params/param-type.js";

// Value types of `spec/09 §4.1` as JSON Schemas, and functions that build schemas.

export const QUANTITY: JsonSchema = { title: "QUANTITY", type: "string", pattern: "^0x(0|[1-9a-f][0-9a-f]*)$" };
export const BYTES: JsonSchema = { title: "DATA", type: "string", pattern: "^0x([0-9a-f]{2})*$" };
export const BYTES_32: JsonSchema = bytesOf(32);
export const ADDRESS: JsonSchema = bytesOf(20);
export const TEXT: JsonSchema = { type: "string" };
export const TRUTH: JsonSchema = { type: "boolean" };
export const NULL: JsonSchema = { type: "null" };

/** A JSON number. */
export const COUNT: JsonSchema = { type: "integer" };

/** DATA of a fixed length in bytes. */
export function bytesOf(length: number): JsonSchema {
  return { title: `DATA ${length}`, type: "string", pattern: `^0x[0-9a-f]{${2 * length}}$` };
}

/** A named schema of `SCHEMAS`. */
export function resource(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, NULL] };
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** An object whose members are all required, except `optional`. */
export function objectOf(properties: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required };
}

/** An object whose members are all optional; unknown members are ignored. */
export function optionsOf(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}
