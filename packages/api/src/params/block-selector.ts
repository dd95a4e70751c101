import { echo, invalidParams, pendingUnsupported } from "../errors.js";
import type { DepthTag, DepthTags } from "./depth-tags.js";
import type { ParamType } from "./param-type.js";
import { BLOCK_HASH, isHash32, NUMBER, objectOf } from "./value-types.js";

/** The block that a request refers to (`spec/09 §5`); `text` is the value as the client sent it, for error messages. */
export type BlockSelector =
  | { kind: "latest" | "earliest" | "pending" }
  | { kind: "number"; number: number; text: string }
  | { kind: "hash"; hash: Uint8Array; requireCanonical: boolean; text: string };

/** Block identifiers that a method accepts in addition to numbers, `latest` and `earliest`. */
export interface SelectorForms {
  /** `lookup`: accepted, and read with `lookUpBlock`, which serves it on some nodes only. */
  pending: boolean | "lookup";
  hash: boolean;
  map: boolean;
  /** Whether a JSON integer is a block number; by default where the parameter takes no map (`spec/09 §5`). */
  integer?: boolean;
}

/** Parser of the block identifiers that one method accepts. */
export function blockSelector(forms: SelectorForms): ParamType<BlockSelector> {
  const { integer = !forms.map } = forms;
  return {
    name: "BLOCK",
    ...(integer ? {} : { takesIntegers: false }),
    errors: forms.pending === true ? [] : ["PENDING_UNSUPPORTED"],
    schema: {
      anyOf: [
        { type: "string", enum: ["latest", "earliest", ...(forms.pending ? ["pending"] : []), "safe", "finalized"] },
        { type: "string", pattern: "^(0x[0-9a-fA-F]{1,16}|[0-9]+)$" },
        ...(forms.hash ? [BLOCK_HASH.schema] : []),
        ...(forms.map ? [{ type: "object" }] : []),
      ],
    },
    parse: (value, tags) => check(parse(value, forms, tags), forms),
  };
}

function parse(value: unknown, forms: SelectorForms, tags: DepthTags | undefined): BlockSelector {
  if (typeof value === "string") return parseText(value, forms, tags);
  if (value === null || value === undefined) throw invalidParams("Invalid block identifier: empty or null.");
  if (forms.map && typeof value === "object" && !Array.isArray(value)) return parseMap(objectOf(value));
  throw invalidParams("Invalid input");
}

function check(selector: BlockSelector, forms: SelectorForms): BlockSelector {
  if (selector.kind === "pending" && !forms.pending) throw pendingUnsupported();
  return selector;
}

function parseText(text: string, forms: SelectorForms, tags: DepthTags | undefined): BlockSelector {
  switch (text) {
    case "latest":
    case "earliest":
    case "pending":
      return { kind: text };
    case "safe":
    case "finalized":
      return byDepth(text, tags);
    case "":
      throw invalidParams("Invalid block identifier: empty or null.");
  }
  if (forms.hash && isHash32(text)) return byHash(text, false);
  if (/^(0x[0-9a-fA-F]{1,16}|[0-9]{1,20})$/.test(text)) return byNumber(BigInt(text), text);
  throw invalidParams(`Invalid block identifier '${echo(text)}'`);
}

/** EIP-1898; a hash takes precedence over a number. */
function parseMap(map: Readonly<Record<string, unknown>>): BlockSelector {
  const requireCanonical = parseRequireCanonical(map.requireCanonical);
  if (map.blockHash !== undefined) return byHash(map.blockHash, requireCanonical);
  if (map.blockNumber === undefined) throw invalidParams("Invalid block input");
  return byNumber(NUMBER.parse(map.blockNumber), String(map.blockNumber));
}

function parseRequireCanonical(value: unknown): boolean {
  if (value === undefined || value === false || value === "false") return false;
  if (value === true || value === "true") return true;
  throw invalidParams('Invalid input: requireCanonical must be a String "true" or "false"');
}

function byHash(value: unknown, requireCanonical: boolean): BlockSelector {
  return { kind: "hash", hash: BLOCK_HASH.parse(value), requireCanonical, text: String(value) };
}

function byDepth(tag: DepthTag, tags: DepthTags | undefined): BlockSelector {
  const number = tags?.(tag);
  if (number === undefined) throw invalidParams(`Unsupported block specifier '${tag}'`);
  return { kind: "number", number, text: tag };
}

/** Clamps to the largest safe integer, which no chain reaches: the block is unknown either way. */
function byNumber(number: bigint, text: string): BlockSelector {
  const safe = number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : Number.MAX_SAFE_INTEGER;
  return { kind: "number", number: safe, text };
}
