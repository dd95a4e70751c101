import { bigintToFixedBytes, concatBytes, joinBytes, keccak256, leftPad, utf8 } from "@cambium/primitives";
import { echo, invalidParams, type RpcError } from "../errors.js";
import { shapeRefusal } from "../params/json-shape.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, BOOLEAN, DATA, objectOf } from "../params/value-types.js";

/** A member of a struct type. */
interface Member {
  name: string;
  type: string;
}

/** Typed structured data to sign (EIP-712). */
export interface TypedData {
  types: ReadonlyMap<string, readonly Member[]>;
  primaryType: string;
  domain: unknown;
  message: unknown;
}

type Members = Readonly<Record<string, unknown>>;

const DOMAIN = "EIP712Domain";
const MAX_DEPTH = 100;
/** Types, and members of all of them: each type that is used is encoded with all that it refers to. */
const MAX_TYPES = 100;
const MAX_MEMBERS = 1_000;
const ZERO = new Uint8Array(32);

/** Typed data as an object, or as its JSON text. */
export const TYPED_DATA: ParamType<TypedData> = {
  name: "TYPED_DATA",
  schema: {
    anyOf: [
      { type: "string" },
      {
        type: "object",
        required: ["types", "primaryType", "domain", "message"],
        properties: {
          types: { type: "object" },
          primaryType: { type: "string" },
          domain: { type: "object" },
          message: { type: "object" },
        },
      },
    ],
  },
  parse(value) {
    const { types, primaryType, domain, message } = objectOf(typeof value === "string" ? parseText(value) : value);
    if (typeof primaryType !== "string") throw invalid(`primary type ${echo(primaryType)}`);
    const structs = parseTypes(objectOf(types));
    if (!structs.has(primaryType)) throw invalid(`unknown primary type ${echo(primaryType)}`);
    return { types: structs, primaryType, domain, message };
  },
};

function parseText(text: string): unknown {
  if (shapeRefusal(text, MAX_DEPTH) !== undefined) throw invalid("too many values, or nested too deeply");
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("not JSON");
  }
}

function parseTypes(types: Members): Map<string, readonly Member[]> {
  const entries = Object.entries({ [DOMAIN]: [], ...types });
  if (entries.length > MAX_TYPES) throw invalid(`${entries.length} types, at most ${MAX_TYPES} are allowed`);
  const count = entries.reduce((sum, [, members]) => sum + (Array.isArray(members) ? members.length : 0), 0);
  if (count > MAX_MEMBERS) throw invalid(`${count} members of types, at most ${MAX_MEMBERS} are allowed`);
  return new Map(
    entries.map(([name, members]) => {
      if (!Array.isArray(members)) throw invalid(`type ${echo(name)}`);
      return [name, members.map(parseMember)] as const;
    }),
  );
}

function parseMember(value: unknown): Member {
  const { name, type } = objectOf(value);
  if (typeof name !== "string" || typeof type !== "string") throw invalid(`member ${echo(value)}`);
  return { name, type };
}

function invalid(what: string): RpcError {
  return invalidParams(`Invalid typed data: ${what}`);
}

/**
 * Returns the hash to sign: that of the prefix 1901, the domain and the message. If the domain is the primary type, the
 * message is omitted. Throws {@link RpcError} `INVALID_PARAMS` if a value does not match its type.
 */
export function typedDataHash({ types, primaryType, domain, message }: TypedData): Uint8Array {
  const hasher = new StructHasher(types);
  const parts = [Uint8Array.of(0x19, 0x01), hasher.hash(DOMAIN, domain)];
  if (primaryType !== DOMAIN) parts.push(hasher.hash(primaryType, message));
  return keccak256(joinBytes(parts));
}

/** Hashes structs of one set of types. */
class StructHasher {
  private readonly typeHashes = new Map<string, Uint8Array>();

  constructor(private readonly types: TypedData["types"]) {}

  /** `hashStruct` of EIP-712. */
  hash(type: string, value: unknown): Uint8Array {
    const members = objectOf(value);
    const parts = this.types.get(type)!.map((member) => this.encode(member.type, members[member.name], member.name));
    return keccak256(joinBytes([this.typeHash(type), ...parts]));
  }

  private typeHash(type: string): Uint8Array {
    let hash = this.typeHashes.get(type);
    if (hash === undefined) this.typeHashes.set(type, (hash = keccak256(utf8(this.encodedType(type)))));
    return hash;
  }

  /** The type, followed by those that it refers to in alphabetical order. */
  private encodedType(primary: string): string {
    const found = new Set([primary]);
    for (const type of found) {
      for (const member of this.types.get(type)!) {
        const base = member.type.replace(/(\[[0-9]*\])+$/, "");
        if (this.types.has(base)) found.add(base);
      }
    }
    found.delete(primary);
    return [primary, ...[...found].sort()].map((type) => this.signature(type)).join("");
  }

  private signature(type: string): string {
    const members = this.types.get(type)!.map((member) => `${member.type} ${member.name}`);
    return `${type}(${members.join(",")})`;
  }

  /** `encodeData` of one member: 32 bytes. */
  private encode(type: string, value: unknown, name: string): Uint8Array {
    if (this.types.has(type)) return value === undefined || value === null ? ZERO : this.hash(type, value);
    if (value === undefined || value === null) throw invalid(`no value for ${echo(name)}`);
    const array = /^(.+)\[([0-9]*)\]$/s.exec(type);
    if (array !== null) return this.encodeArray(array[1]!, array[2]!, value, name);
    return encodeAtom(type, value);
  }

  private encodeArray(type: string, length: string, value: unknown, name: string): Uint8Array {
    if (!Array.isArray(value)) throw invalid(`${echo(name)} is not a list`);
    if (length !== "" && value.length !== Number(length)) {
      throw invalid(`${echo(name)} has ${value.length} elements instead of ${length}`);
    }
    return keccak256(joinBytes(value.map((one) => this.encode(type, one, name))));
  }
}

function encodeAtom(type: string, value: unknown): Uint8Array {
  switch (type) {
    case "string":
      if (typeof value !== "string") throw invalid(`${echo(value)} is not a string`);
      return keccak256(utf8(value));
    case "bytes":
      return keccak256(DATA.parse(value));
    case "address":
      return leftPad(ADDRESS.parse(value), 32);
    case "bool":
      return leftPad(Uint8Array.of(BOOLEAN.parse(value) ? 1 : 0), 32);
  }
  const sized = /^(bytes|u?int)([0-9]{0,3})$/.exec(type);
  const size = Number(sized?.[2] || 256);
  if (sized?.[1] === "bytes" && sized[2] !== "" && size >= 1 && size <= 32) return encodeFixedBytes(size, value);
  if (sized === null || sized[1] === "bytes" || size < 8 || size > 256 || size % 8 !== 0) {
    throw invalid(`unknown type ${echo(type)}`);
  }
  return encodeInteger(sized[1] === "int", size, value);
}

function encodeFixedBytes(size: number, value: unknown): Uint8Array {
  const bytes = DATA.parse(value);
  if (bytes.length !== size) throw invalid(`${echo(value)} has ${bytes.length} bytes instead of ${size}`);
  return concatBytes(bytes, new Uint8Array(32 - size));
}

/** A JSON number, decimal digits, or hex digits after `0x`. */
function encodeInteger(isSigned: boolean, bits: number, value: unknown): Uint8Array {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || text.length > 80 || !/^(0x[0-9a-fA-F]+|-?[0-9]+)$/.test(text)) {
    throw invalid(`${echo(value)} is not an integer`);
  }
  const number = BigInt(text);
  const fits = isSigned ? BigInt.asIntN(bits, number) : BigInt.asUintN(bits, number);
  if (fits !== number) throw invalid(`${echo(value)} does not fit ${isSigned ? "int" : "uint"}${bits}`);
  return bigintToFixedBytes(BigInt.asUintN(256, number), 32);
}
