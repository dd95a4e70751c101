/**
 * Describes where a value lacks the members and formats of an example; undefined if it matches. Objects whose names are
 * addresses or numbers are maps: their members are interchangeable. Only the first elements of lists are compared.
 * Null, an empty object and an empty list in the example match anything.
 */
export function shapeDifference(actual: unknown, example: unknown, path = "result"): string | undefined {
  if (example === null) return undefined;
  if (kindOf(actual) !== kindOf(example)) return `${path} is ${text(actual)}, not like ${text(example)}`;
  if (Array.isArray(example)) return listDifference(actual as unknown[], example, path);
  if (isObject(example)) return objectDifference(actual as Json, example, path);
  if (typeof example !== "string") return undefined;
  const format = formatOf(example, path);
  return format.test(actual as string)
    ? undefined
    : `${path} is ${text(actual)}, not of the format of ${text(example)}`;
}

type Json = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Json {
  return kindOf(value) === "object";
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}

function listDifference(actual: readonly unknown[], example: readonly unknown[], path: string): string | undefined {
  if (example.length === 0) return undefined;
  if (actual.length === 0) return `${path} is empty`;
  return shapeDifference(actual[0], example[0], `${path}[0]`);
}

function objectDifference(actual: Json, example: Json, path: string): string | undefined {
  if (Object.keys(example).length === 0) return undefined;
  const [mine, theirs] = [Object.keys(actual).sort(), Object.keys(example).sort()];
  if (theirs.every(isMapKey)) {
    if (mine.length === 0 || !mine.every(isMapKey)) return `${path} is ${text(actual)}, not like ${text(example)}`;
    return shapeDifference(actual[mine[0]!], example[theirs[0]!], `${path}.${mine[0]}`);
  }
  if (mine.join() !== theirs.join()) return `${path} has ${mine.join(", ")} instead of ${theirs.join(", ")}`;
  for (const name of mine) {
    const difference = shapeDifference(actual[name], example[name], `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function isMapKey(name: string): boolean {
  return /^(0x)?[0-9a-f]{40}$|^[0-9]+$/.test(name);
}

const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/;
/** DATA of any length, or QUANTITY: an example does not always determine which. */
const HEX = /^0x([1-9a-f][0-9a-f]*|0|([0-9a-f]{2})*)$/;
/** Numbers of hex digits of fixed-length DATA: header nonces, addresses, hashes, signatures, blooms. */
const FIXED_LENGTHS: readonly number[] = [16, 40, 64, 130, 512];

/** The format of an example string; signature values are quantities of any length. */
function formatOf(example: string, path: string): RegExp {
  if (/^0x[0-9a-f]*$/i.test(example)) {
    if (/\.[rs]$/.test(path)) return QUANTITY;
    const digits = example.length - 2;
    return FIXED_LENGTHS.includes(digits) ? new RegExp(`^0x[0-9a-f]{${digits}}$`) : HEX;
  }
  const words = example.split(/([/|: ]+)/).map((part, i) => (i % 2 === 0 && part !== "" ? "[^/|: ]+" : escaped(part)));
  return new RegExp(`^${words.join("")}$`);
}

function escaped(part: string): string {
  return part.replaceAll("|", "\\|");
}

function text(value: unknown): string {
  const json = JSON.stringify(value) ?? "absent";
  return json.length <= 120 ? json : `${json.slice(0, 117)}...`;
}
