import { bytesToBigint, toChecksumAddress, toHex } from "@cambium/primitives";

/** Forms of values: unabridged, or short enough that several fit a line. */
export type ValueForm = "whole" | "short";

/** A type of the Solidity ABI. */
type AbiType =
  | { kind: "word"; name: string }
  | { kind: "bytes" | "string" }
  /** `length` is undefined for an array of any length. */
  | { kind: "array"; element: AbiType; length: number | undefined }
  | { kind: "tuple"; members: readonly AbiType[] };

const SLOT = 32;
/** Bounds of one text: elements may share bytes, so that a little data can describe much. */
const MAX_VALUES = 200;
const MAX_DEPTH = 16;
/** Characters of a string, and bytes of others, in the short form. */
const SHORT_TEXT = 32;
const SHORT_BYTES = 2;
const SHORT_ELEMENTS = 3;
/** Fixed arrays longer than this are not read. */
const MAX_LENGTH = 10_000;

/** The types of a list such as `uint256,(address,bytes)[]`; undefined if one is no type. */
export function parseTypes(text: string): readonly AbiType[] | undefined {
  const types = splitTypes(text)?.map((one) => parseType(one, 0));
  return types?.every((type) => type !== undefined) ? types : undefined;
}

function parseType(text: string, depth: number): AbiType | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const [, inner, length] = /^(.*)\[(\d*)\]$/.exec(text) ?? [];
  if (inner !== undefined) {
    const element = parseType(inner, depth + 1);
    const size = length === "" ? undefined : Number(length);
    if (element === undefined || (size ?? 0) > MAX_LENGTH) return undefined;
    return { kind: "array", element, length: size };
  }
  if (text.startsWith("(") && text.endsWith(")")) {
    const members = splitTypes(text.slice(1, -1))?.map((one) => parseType(one, depth + 1));
    return members?.every((member) => member !== undefined) ? { kind: "tuple", members } : undefined;
  }
  if (text === "bytes" || text === "string") return { kind: text };
  const name = text === "function" ? "bytes24" : text;
  return /^(u?int(8|16|24|32|40|48|56|64|72|80|88|96|1\d\d|2[0-5]\d)?|bool|address|bytes([1-9]|[12]\d|3[012]))$/.test(
    name,
  )
    ? { kind: "word", name }
    : undefined;
}

/** The parts between the commas outside of parentheses; undefined if these do not match. */
function splitTypes(text: string): string[] | undefined {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "(") depth++;
    else if (text[i] === ")") depth--;
    else if (text[i] === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
    if (depth < 0) return undefined;
  }
  if (depth !== 0) return undefined;
  return text === "" ? [] : [...parts, text.slice(start)];
}

/** Values encoded as arguments, as texts; undefined if the data is malformed. */
export function valueTexts(types: readonly AbiType[], data: Uint8Array, form: ValueForm): string[] | undefined {
  try {
    return new Reader(data, form).sequence(types, 0);
  } catch (error) {
    if (error === MALFORMED) return undefined;
    throw error;
  }
}

/**
 * Formats a value in a single word, such as a topic of a log. Undefined for types of which topics contain only a hash.
 */
export function wordText(type: AbiType, word: Uint8Array, form: ValueForm): string | undefined {
  return type.kind === "word" ? wordValue(type.name, word, form) : undefined;
}

const MALFORMED = new Error("malformed data");

/** Reads values and writes them down. */
class Reader {
  private values = 0;

  constructor(
    private readonly data: Uint8Array,
    private readonly form: ValueForm,
  ) {}

  sequence(types: readonly AbiType[], start: number): string[] {
    let head = start;
    return types.map((type) => {
      const text = this.value(type, isDynamic(type) ? start + this.size(head) : head);
      head += headSize(type);
      return text;
    });
  }

  private value(type: AbiType, offset: number): string {
    if (++this.values > MAX_VALUES) return "…";
    switch (type.kind) {
      case "word":
        return wordValue(type.name, this.bytes(offset, SLOT), this.form);
      case "bytes":
        return hexText(this.bytes(offset + SLOT, this.size(offset)), this.form);
      case "string":
        return quoted(new TextDecoder().decode(this.bytes(offset + SLOT, this.size(offset))), this.form);
      case "tuple":
        return `(${this.sequence(type.members, offset).join(", ")})`;
      case "array": {
        const length = type.length ?? this.size(offset);
        return this.array(type.element, type.length === undefined ? offset + SLOT : offset, length);
      }
    }
  }

  private array(element: AbiType, start: number, length: number): string {
    if (length * SLOT > this.data.length) throw MALFORMED;
    const shown = Math.min(length, this.form === "short" ? SHORT_ELEMENTS : MAX_VALUES);
    const texts = this.sequence(new Array<AbiType>(shown).fill(element), start);
    return `[${[...texts, ...(shown < length ? ["…"] : [])].join(", ")}]`;
  }

  /** An offset or a length. */
  private size(offset: number): number {
    const size = bytesToBigint(this.bytes(offset, SLOT));
    if (size > this.data.length) throw MALFORMED;
    return Number(size);
  }

  private bytes(offset: number, length: number): Uint8Array {
    if (offset + length > this.data.length) throw MALFORMED;
    return this.data.subarray(offset, offset + length);
  }
}

function isDynamic(type: AbiType): boolean {
  if (type.kind === "array") return type.length === undefined || isDynamic(type.element);
  return type.kind === "tuple" ? type.members.some(isDynamic) : type.kind !== "word";
}

function headSize(type: AbiType): number {
  if (isDynamic(type)) return SLOT;
  if (type.kind === "tuple") return type.members.reduce((sum, member) => sum + headSize(member), 0);
  return type.kind === "array" ? type.length! * headSize(type.element) : SLOT;
}

function wordValue(name: string, word: Uint8Array, form: ValueForm): string {
  if (name === "address") return addressText(word.subarray(SLOT - 20), form);
  if (name === "bool") return String(word.some((byte) => byte !== 0));
  if (name.startsWith("bytes")) return hexText(word.subarray(0, Number(name.slice("bytes".length))), form);
  const value = bytesToBigint(word);
  return String(name.startsWith("u") ? value : BigInt.asIntN(256, value));
}

/** `0xf39F…` in the short form. */
export function addressText(address: Uint8Array, form: ValueForm): string {
  const text = toChecksumAddress(address);
  return form === "short" ? `${text.slice(0, 2 + 2 * SHORT_BYTES)}…` : text;
}

/** `0x5c1a…` in the short form. */
export function hexText(bytes: Uint8Array, form: ValueForm): string {
  const isCut = form === "short" && bytes.length > 2 * SHORT_BYTES;
  return isCut ? `0x${toHex(bytes.subarray(0, SHORT_BYTES))}…` : `0x${toHex(bytes)}`;
}

/** A string of a contract in quotation marks. */
function quoted(text: string, form: ValueForm): string {
  const isCut = form === "short" && text.length > SHORT_TEXT;
  return `"${printable(isCut ? `${text.slice(0, SHORT_TEXT)}…` : text)}"`;
}

/** Text of a contract without characters that a terminal would obey. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`);
}
