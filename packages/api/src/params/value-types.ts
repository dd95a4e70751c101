import { fromHex } from "@cambium/primitives";
import { echo, invalidParams } from "../errors.js";
import type { ParamType } from "./param-type.js";

// Input validators of `spec/09 §4.2`; their messages are those of the deployed client.

const HEX_DIGITS = /^[0-9a-fA-F]*$/;

function isHex(digits: string): boolean {
  return HEX_DIGITS.test(digits);
}

function withoutPrefix(text: string): string {
  return text.startsWith("0x") || text.startsWith("0X") ? text.slice(2) : text;
}

/**
 * Decodes any number of hex digits; an odd number is padded with a leading zero. Undefined if there are other
 * characters, which is found while decoding: a regular expression takes longer for megabytes.
 */
function bytesOf(digits: string): Uint8Array | undefined {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  // The decoder takes the low bytes of characters beyond ASCII.
  if (Buffer.byteLength(even) !== even.length) return undefined;
  const { buffer, byteOffset, length } = Buffer.from(even, "hex");
  return length * 2 === even.length ? new Uint8Array(buffer, byteOffset, length) : undefined;
}

/** The decimal text of a JSON integer, which counts as text; other values are unchanged. */
export function textOfInteger(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** 20 bytes; checksums are not verified. */
export const ADDRESS: ParamType<Uint8Array> = {
  name: "ADDRESS",
  schema: { title: "address", type: "string", pattern: "^(0[xX])?[0-9a-fA-F]{40}$" },
  parse(value) {
    if (typeof value !== "string" || value.length < 40 || value.length > 42) {
      throw invalidParams("Invalid address: null, empty or invalid hex value.");
    }
    const digits = withoutPrefix(value);
    if (digits.length !== 40 || !isHex(digits)) throw invalidParams("Invalid address format: invalid hex value.");
    return fromHex(digits);
  },
};

function hash32(what: "block hash" | "transaction hash" | "topic"): ParamType<Uint8Array> {
  return {
    name: "HASH32",
    schema: { type: "string", pattern: "^(0[xX])?[0-9a-fA-F]{64}$", title: what },
    parse(value) {
      if (typeof value !== "string" || value.length < 64 || value.length > 66) {
        throw invalidParams(`Invalid ${what}: incorrect length.`);
      }
      const digits = withoutPrefix(value);
      if (!isHex(digits)) throw invalidParams(`Invalid ${what} format: invalid hex value`);
      if (digits.length !== 64) throw invalidParams(`Invalid ${what}: incorrect length.`);
      return fromHex(digits);
    },
  };
}

export const BLOCK_HASH: ParamType<Uint8Array> = hash32("block hash");
export const TRANSACTION_HASH: ParamType<Uint8Array> = hash32("transaction hash");
export const TOPIC: ParamType<Uint8Array> = hash32("topic");

/** A non-negative integer below 2^256: `0x` hex, decimal digits, or a JSON number. */
export const NUMBER: ParamType<bigint> = {
  name: "NUMBER",
  schema: {
    title: "QUANTITY, or decimal",
    anyOf: [
      { type: "string", pattern: "^(0x[0-9a-fA-F]+|[0-9]+)$", maxLength: 66 },
      { type: "integer", minimum: 0 },
    ],
  },
  parse(value) {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text === "string" && text.length > 66) throw invalidParams(`Invalid param: ${echo(text)}`);
    if (typeof text !== "string" || !/^(0x)?[0-9a-fA-F]+$/.test(text)) {
      throw invalidParams(`Invalid param ${echo(value)}: value must be a valid hex or string number.`);
    }
    if (!text.startsWith("0x") && /[a-fA-F]/.test(text)) {
      throw invalidParams("Number values should not contain letters or hex values should start with 0x.");
    }
    return BigInt(text);
  },
};

/** Any bytes. */
export const DATA: ParamType<Uint8Array> = {
  name: "DATA",
  schema: {
    title: "DATA",
    anyOf: [
      { type: "string", pattern: "^(0[xX])?[0-9a-fA-F]*$" },
      { type: "integer", minimum: 0 },
    ],
  },
  parse(value) {
    const text = textOfInteger(value);
    const bytes = typeof text === "string" ? bytesOf(withoutPrefix(text)) : undefined;
    if (bytes === undefined) throw invalidParams("Invalid data format: invalid hex value.");
    return bytes;
  },
};

/** Index of a transaction or uncle in its block, below 2^31. */
export const INDEX: ParamType<number> = {
  name: "INDEX",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]+$" },
  parse(value) {
    if (typeof value !== "string" || !value.startsWith("0x")) {
      throw invalidParams(`Invalid argument "${echo(value)}": param should be a hex value string.`);
    }
    const digits = value.slice(2).replace(/^0+(?=.)/, "");
    if (!/^[0-9a-fA-F]{1,8}$/.test(digits) || Number.parseInt(digits, 16) > 0x7fffffff) {
      throw invalidParams("Invalid index param: value must be a valid hex number.");
    }
    return Number.parseInt(digits, 16);
  },
};

/** A JSON boolean, or the strings that some old clients send instead. */
export const BOOLEAN: ParamType<boolean> = {
  name: "BOOLEAN",
  schema: { type: "boolean" },
  parse(value) {
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    throw invalidParams(`Invalid param ${echo(value)}: value must be a boolean.`);
  },
};

/** Input of `web3_sha3`: the prefix is required, but no digit: `0x` is DATA of no bytes (00, Value types). */
export const SHA3_INPUT: ParamType<Uint8Array> = {
  name: "SHA3_INPUT",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]*$" },
  parse(value) {
    const isPrefixed = typeof value === "string" && value.startsWith("0x");
    const bytes = isPrefixed ? bytesOf(value.slice(2)) : undefined;
    if (bytes === undefined) throw invalidParams("Parameter must be hexadecimal encoded with the '0x' prefix.");
    return bytes;
  },
};

/** Whether a block identifier is a hash: exactly 64 hex digits, with or without prefix. */
export function isHash32(text: string): boolean {
  const digits = withoutPrefix(text);
  return digits.length === 64 && isHex(digits);
}

/** The members of a JSON object. Throws {@link RpcError} `INVALID_PARAMS` if the value is anything else. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalidParams("Invalid input");
  return value as Readonly<Record<string, unknown>>;
}
