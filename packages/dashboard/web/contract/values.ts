import { type AbiParameter, getAddress, parseUnits } from "viem";

/** The input for a parameter: a text, or one for each member of a struct or list. */
export type Written = string | readonly Written[];

/** Units that may follow a number, by their power of ten. */
const UNITS: Readonly<Record<string, number>> = { wei: 0, kwei: 3, mwei: 6, gwei: 9, szabo: 12, finney: 15, ether: 18 };
const SECONDS: Readonly<Record<string, bigint>> = {
  s: 1n,
  min: 60n,
  h: 3_600n,
  d: 86_400n,
  weeks: 604_800n,
};
/** Items of one list. */
export const MAX_ITEMS = 200;

/** The type of a list's items, and its length if that is fixed; undefined for other types. */
export function listOf(parameter: AbiParameter): { item: AbiParameter; length: number | undefined } | undefined {
  const [, type, length] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? [];
  if (type === undefined) return undefined;
  const { internalType } = parameter;
  const named = internalType === undefined ? {} : { internalType: String(internalType).replace(/\[\d*\]$/, "") };
  return { item: { ...parameter, ...named, name: "", type }, length: length ? Number(length) : undefined };
}

export function membersOf(parameter: AbiParameter): readonly AbiParameter[] | undefined {
  return parameter.type === "tuple" && "components" in parameter ? parameter.components : undefined;
}

/** The input that a form starts with. */
export function emptyValue(parameter: AbiParameter): Written {
  const list = listOf(parameter);
  if (list !== undefined) {
    return Array.from({ length: Math.min(list.length ?? 0, MAX_ITEMS) }, () => emptyValue(list.item));
  }
  const members = membersOf(parameter);
  if (members !== undefined) return members.map(emptyValue);
  return parameter.type === "bool" ? "false" : "";
}

/**
 * Reads the value of a parameter. Throws an `Error` that names the parameter, and the expected form. `now` is in
 * seconds.
 */
export function readValue(parameter: AbiParameter, written: Written, now: number, path = ""): unknown {
  const name = [path, parameter.name].filter(Boolean).join(".") || "value";
  const list = listOf(parameter);
  if (list !== undefined) {
    if (typeof written === "string") throw new Error(`${name} is no list`);
    return written.map((item, i) => readValue(list.item, item, now, `${name}[${i}]`));
  }
  const members = membersOf(parameter);
  if (members !== undefined) {
    const texts = typeof written === "string" ? [] : written;
    const values = members.map(
      (member, i) => [member.name ?? "", readValue(member, texts[i] ?? "", now, name)] as const,
    );
    const isNamed = new Set(values.map(([own]) => own)).size === values.length && values.every(([own]) => own !== "");
    return isNamed ? Object.fromEntries(values) : values.map(([, value]) => value);
  }
  if (typeof written !== "string") throw new Error(`${name} is no single value`);
  return single(parameter.type, written, name, now);
}

function single(type: string, written: string, name: string, now: number): unknown {
  if (type === "string") return written;
  const text = written.trim();
  const refuse = (expected: string) =>
    new Error(`${name} is ${text === "" ? "empty" : `"${text.slice(0, 80)}"`}: ${expected}`);
  if (type === "bool") {
    if (text === "true" || text === "false") return text === "true";
    throw refuse("expected true or false");
  }
  if (type === "address") {
    if (/^0x[0-9a-f]{40}$/i.test(text)) return getAddress(text.toLowerCase());
    throw refuse("expected an address, 40 hex digits after 0x");
  }
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes !== null) {
    const length = bytes[1] === "" ? undefined : Number(bytes[1]);
    const data = text === "" && length === undefined ? "0x" : text;
    const isHex = /^0x([0-9a-f]{2})*$/i.test(data);
    if (isHex && (length === undefined || data.length === 2 + 2 * length)) return data.toLowerCase();
    throw refuse(
      length === undefined ? "expected bytes in hex, such as 0x00ff" : `expected ${2 * length} hex digits after 0x`,
    );
  }
  const integer = /^(u?)int(\d*)$/.exec(type);
  if (integer === null) throw new Error(`${name} has the type ${type}, which this page cannot write`);
  const value = integerOf(text, now);
  if (value === undefined) throw refuse("expected a number, such as 42, 0x2a, 1.5 ether, 20 gwei or now + 1 h");
  const bits = BigInt(integer[2] || 256);
  const [lowest, highest] = integer[1] === "u" ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (value < lowest || value > highest) throw refuse(`expected ${lowest} to ${highest}`);
  return value;
}

/**
 * Reads a number as people write it: `1_000`, `0x2a`, `1e18`, `1.5 ether`, `now`, `now + 2 d`. Undefined for any other
 * text.
 */
export function integerOf(text: string, now: number): bigint | undefined {
  const plain = text.trim().replace(/(?<=\d)[_,](?=\d)/g, "");
  if (/^0x[0-9a-f]{1,64}$/i.test(plain)) return BigInt(plain);
  const time = /^now(?:\s*([+-])\s*(\d{1,12})\s*(s|min|h|d|weeks)?)?$/i.exec(plain);
  if (time !== null) {
    const shift = BigInt(time[2] ?? 0) * SECONDS[(time[3] ?? "s").toLowerCase()]!;
    return BigInt(now) + (time[1] === "-" ? -shift : shift);
  }
  const [, sign, digits, exponent, unit] =
    /^(-?)(\d{1,80}(?:\.\d{1,40})?)(?:e(\d{1,2}))?\s*([a-z]+)?$/i.exec(plain) ?? [];
  if (digits === undefined) return undefined;
  const scale = unit === undefined ? 0 : UNITS[unit.toLowerCase()];
  if (scale === undefined) return undefined;
  const power = scale + Number(exponent ?? 0);
  if ((digits.split(".")[1]?.length ?? 0) > power) return undefined;
  return parseUnits(`${sign}${digits}`, power);
}
