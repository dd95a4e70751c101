import type { StorageLayout, StorageType, StorageVariable } from "./artifact.js";

const MAX_VARIABLES = 5_000;
const MAX_TYPES = 5_000;
const MAX_TEXT = 300;
const NUMBER = /^\d{1,78}$/;
const SIZE = /^\d{1,9}$/;

type Members = Readonly<Record<string, unknown>>;

/** Reads the storage layout that a compiler writes, without malformed parts; undefined if there are no variables. */
export function readLayout(value: unknown): StorageLayout | undefined {
  const { storage, types } = membersOf(value);
  const variables = readVariables(storage);
  if (variables.length === 0) return undefined;
  const known = Object.entries(membersOf(types)).slice(0, MAX_TYPES);
  return { storage: variables, types: Object.fromEntries(known.flatMap(([name, type]) => readType(name, type))) };
}

function readVariables(value: unknown): StorageVariable[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_VARIABLES).flatMap((one) => {
    const { label, slot, offset, type } = membersOf(one);
    const isPlaced = typeof slot === "string" && NUMBER.test(slot) && Number.isInteger(offset);
    if (!isText(label) || !isText(type) || !isPlaced || (offset as number) < 0 || (offset as number) > 31) return [];
    return [{ label, slot, offset: offset as number, type }];
  });
}

function readType(name: string, value: unknown): [name: string, type: StorageType][] {
  const { label, encoding, numberOfBytes, key, value: held, base, members } = membersOf(value);
  const isSized = typeof numberOfBytes === "string" && SIZE.test(numberOfBytes);
  if (!isText(label) || !isText(encoding) || !isSized) return [];
  const parts = { ...(isText(key) && { key }), ...(isText(held) && { value: held }), ...(isText(base) && { base }) };
  const struct = Array.isArray(members) ? { members: readVariables(members) } : {};
  return [[name, { label, encoding, numberOfBytes, ...parts, ...struct }]];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TEXT;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
