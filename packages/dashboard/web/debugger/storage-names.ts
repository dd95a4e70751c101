import { encodeAbiParameters, type Hex, hexToBigInt, keccak256 } from "viem";
import type { StorageLayout, StorageType } from "../../src/artifacts/artifact.js";
import { grouped } from "../format/numbers.js";

/** A variable, or a part of one, in a storage slot. */
export interface SlotPart {
  name: string;
  /** Type as the source names it. */
  type: string;
  /** Bytes from the low end of the slot. */
  offset: number;
  bytes: number;
  encoding: string;
}

/** Names that are computed at most: of one variable, and of all. */
const MAX_OF_VARIABLE = 5_000;
const MAX_NAMES = 50_000;
/** Items of a list that are named, of a list in a list, and depth of types in types. */
const MAX_ITEMS = 256;
const MAX_INNER_ITEMS = 16;
const MAX_DEPTH = 6;

/**
 * Names the slots of a contract by its storage layout: variables, members of structs, items of lists, and values of
 * mappings for the given keys (addresses and numbers).
 */
export function namesOfSlots(layout: StorageLayout, keys: readonly bigint[]): ReadonlyMap<bigint, readonly SlotPart[]> {
  const names = new Map<bigint, SlotPart[]>();
  let count = 0;
  let end = 0;
  const add = (name: string, slot: bigint, offset: number, typeName: string, depth: number): void => {
    const type = typeOf(layout, typeName);
    if (type === undefined || depth > MAX_DEPTH || count++ >= end) return;
    if (type.members !== undefined) {
      for (const { label, slot: inner, offset: own, type: innerType } of type.members) {
        add(`${name}.${label}`, slot + BigInt(inner), own, innerType, depth + 1);
      }
    } else if (type.encoding === "mapping") {
      for (const key of keys) {
        const place = keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [key, slot]));
        add(`${name}[${keyText(layout, type, key)}]`, hexToBigInt(place), 0, type.value ?? "", depth + 1);
      }
    } else {
      push(names, slot, { name, type: type.label, offset, bytes: Number(type.numberOfBytes), encoding: type.encoding });
      const item = type.base === undefined ? undefined : typeOf(layout, type.base);
      if (item === undefined) return;
      const first = type.encoding === "dynamic_array" ? hexToBigInt(keccak256(word(slot))) : slot;
      addItems(name, first, item, type, depth);
    }
  };
  const addItems = (name: string, first: bigint, item: StorageType, list: StorageType, depth: number): void => {
    const size = Math.max(Number(item.numberOfBytes), 1);
    const perSlot = size >= 32 ? 1 : Math.floor(32 / size);
    const slots = BigInt(Math.ceil(size / 32));
    for (let i = 0; i < (depth === 0 ? MAX_ITEMS : MAX_INNER_ITEMS); i++) {
      const slot = first + (size >= 32 ? BigInt(i) * slots : BigInt(Math.floor(i / perSlot)));
      add(`${name}[${i}]`, slot, size >= 32 ? 0 : (i % perSlot) * size, list.base!, depth + 1);
    }
  };
  for (const variable of layout.storage) {
    end = Math.min(count + MAX_OF_VARIABLE, MAX_NAMES);
    add(variable.label, BigInt(variable.slot), variable.offset, variable.type, 0);
  }
  return names;
}

/** The value of a part of a slot, as its type shows it. */
export function partOf(word: string, { offset, bytes, type, encoding }: SlotPart): string {
  const digits = word.replace(/^0x/, "").padStart(64, "0");
  if (encoding === "bytes") return shortText(digits) ?? `${BigInt(`0x${digits}`) / 2n} bytes, in other slots`;
  if (encoding === "dynamic_array") return `length ${grouped(BigInt(`0x${digits}`))}`;
  const end = 64 - 2 * offset;
  const own = digits.slice(Math.max(end - 2 * bytes, 0), end);
  const value = BigInt(`0x${own || "0"}`);
  if (type === "bool") return value === 0n ? "false" : "true";
  if (/^(address|contract )/.test(type)) return `0x${own}`;
  if (type.startsWith("uint") || type.startsWith("enum")) return grouped(value);
  if (type.startsWith("int")) return grouped(BigInt.asIntN(8 * bytes, value));
  return `0x${own}`;
}

/** A string of at most 31 bytes is in the slot itself. */
function shortText(digits: string): string | undefined {
  const twice = Number.parseInt(digits.slice(62), 16);
  if (twice % 2 === 1 || twice > 62) return undefined;
  const codes = Array.from({ length: twice / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
  const text = new TextDecoder().decode(Uint8Array.from(codes));
  return JSON.stringify(text);
}

function typeOf({ types }: StorageLayout, name: string): StorageType | undefined {
  return Object.hasOwn(types, name) ? types[name] : undefined;
}

function keyText(layout: StorageLayout, { key = "" }: StorageType, value: bigint): string {
  const label = typeOf(layout, key)?.label ?? "";
  return /^(address|contract )/.test(label) ? `0x${value.toString(16).padStart(40, "0")}` : String(value);
}

function word(slot: bigint): Hex {
  return `0x${slot.toString(16).padStart(64, "0")}`;
}

function push(names: Map<bigint, SlotPart[]>, slot: bigint, part: SlotPart): void {
  const parts = names.get(slot);
  if (parts === undefined) names.set(slot, [part]);
  else parts.push(part);
}
