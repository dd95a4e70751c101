import type { ChainReader } from "@cambium/chain";
import { echo, invalidParams } from "../errors.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, INDEX, objectOf } from "../params/value-types.js";
import type { FilterMode, TraceFilterRequest } from "./trace-search.js";

/** Filter object of `trace_filter` (`spec/09 §12.2`). */
export interface TraceFilter {
  from: BlockSelector;
  to: BlockSelector;
  fromAddresses: readonly Uint8Array[];
  toAddresses: readonly Uint8Array[];
  mode: FilterMode;
  after: bigint;
  count: bigint;
}

const BOUND = blockSelector({ pending: false, hash: false, map: false });
const DEFAULT_COUNT = 10_000;
/** Maximum number of senders, and of recipients. */
const MAX_ADDRESSES = 1_000;

export const TRACE_FILTER: ParamType<TraceFilter> = {
  name: "TRACE_FILTER",
  errors: BOUND.errors,
  schema: { $ref: "#/components/schemas/TraceFilter" },
  parse(value, tags) {
    if (typeof value !== "object" || value === null) throw invalidParams("Invalid trace_filter parameters.");
    const { fromBlock, toBlock, fromAddress, toAddress, mode, after, count } = objectOf(value);
    return {
      from: BOUND.parse(fromBlock ?? "earliest", tags),
      to: BOUND.parse(toBlock ?? "latest", tags),
      fromAddresses: parseAddresses(fromAddress),
      toAddresses: parseAddresses(toAddress),
      mode: parseMode(mode ?? "intersection"),
      after: parseInteger(after ?? 0),
      count: parseInteger(count ?? DEFAULT_COUNT),
    };
  },
};

/** Parses a list of addresses; a single address counts as a list of one. */
function parseAddresses(value: unknown): Uint8Array[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (list.length > MAX_ADDRESSES) {
    throw invalidParams(`Too many addresses: ${list.length}, at most ${MAX_ADDRESSES} are allowed`);
  }
  return list.map((address) => ADDRESS.parse(address));
}

function parseMode(value: unknown): FilterMode {
  if (value === "union" || value === "intersection") return value;
  throw invalidParams(`Invalid mode ${echo(value)}: expected union or intersection`);
}

/** Parses a JSON number or a string, decimal or `0x` hex, possibly negative. */
function parseInteger(value: unknown): bigint {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === "string" && /^(0x[0-9a-fA-F]{1,16}|-?[0-9]{1,20})$/.test(value)) return BigInt(value);
  throw invalidParams("Invalid trace_filter parameters.");
}

/** The single index that `trace_get` accepts. */
export const TRACE_POSITIONS: ParamType<number> = {
  name: "TRACE_POSITIONS",
  schema: { type: "array", items: INDEX.schema, minItems: 1, maxItems: 1 },
  parse(value) {
    const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
    if (list.length === 0) throw invalidParams("'positions' cannot be null or empty");
    if (list.length > 1) throw invalidParams("'positions' accepts only one index");
    return INDEX.parse(list[0]);
  },
};

/** Resolves a filter; undefined if it covers no blocks. Throws {@link RpcError} `INVALID_PARAMS` if it is invalid. */
export function traceRange(chain: ChainReader, filter: TraceFilter, maxTraces: number): TraceFilterRequest | undefined {
  const { after, count, from, to, fromAddresses, toAddresses, mode } = filter;
  if (after < 0n) throw invalidParams("After value cannot be negative.");
  if (after > maxTraces) throw invalidParams(`After value too big. Maximum ${maxTraces} traces allowed.`);
  if (count > maxTraces) throw invalidParams(`Count value too big. Maximum ${maxTraces} traces allowed.`);
  const head = chain.best().header.number;
  const first = numberOf(from, head);
  const last = Math.min(numberOf(to, head), head);
  if (first > head) return undefined;
  if (first > last) throw invalidParams("fromBlock cannot be greater than toBlock");
  const lastHash = chain.hashByNumber(last);
  if (lastHash === undefined) return undefined;
  return {
    fromBlock: first,
    lastHash,
    fromAddresses,
    toAddresses,
    mode,
    after: Number(after),
    count: Math.max(Number(count), 0),
  };
}

function numberOf(bound: BlockSelector, head: number): number {
  if (bound.kind === "number") return bound.number;
  return bound.kind === "earliest" ? 0 : head;
}
