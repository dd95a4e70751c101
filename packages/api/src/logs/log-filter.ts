import { bloomContains } from "@cambium/types";
import { invalidParams } from "../errors.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import type { DepthTags } from "../params/depth-tags.js";
import type { ParamType } from "../params/param-type.js";
import { ADDRESS, BLOCK_HASH, objectOf, TOPIC } from "../params/value-types.js";

/** Maximum number of addresses and topics of a filter; a position that matches anything counts as one. */
const MAX_CRITERIA = 1_000;

/** The addresses and topics of a log filter. Undefined and null match anything. */
export interface LogMatch {
  addresses: readonly Uint8Array[] | undefined;
  topics: readonly (readonly Uint8Array[] | null)[];
}

/** The blocks of a log filter: one block by its hash, or a range with optional bounds. */
export type LogBlocks =
  | { kind: "block"; hash: Uint8Array }
  | { kind: "range"; from: BlockSelector | undefined; to: BlockSelector | undefined };

/** A filter object (`spec/09 §9.1`). */
export interface LogFilter {
  match: LogMatch;
  blocks: LogBlocks;
}

/** Reads address and topics of a filter object; other members are ignored. */
export const LOG_MATCH: ParamType<LogMatch> = {
  name: "LOG_MATCH",
  schema: { $ref: "#/components/schemas/LogSubscriptionOptions" },
  parse(value) {
    const { address = [], topics = [] } = objectOf(value);
    const [addresses, positions] = [listOf(address ?? []), listOf(topics ?? [])];
    const count = addresses.length + criteriaOf(positions);
    if (count > MAX_CRITERIA) {
      throw invalidParams(`Too many addresses and topics: ${count}, at most ${MAX_CRITERIA} are allowed`);
    }
    return {
      addresses: addresses.length === 0 ? undefined : addresses.map((one) => ADDRESS.parse(one)),
      topics: positions.map(parsePosition),
    };
  },
};

const BOUND = blockSelector({ pending: true, hash: false, map: false });

export const LOG_FILTER: ParamType<LogFilter> = {
  name: "LOG_FILTER",
  schema: { $ref: "#/components/schemas/LogFilter" },
  parse(value, tags) {
    return { match: LOG_MATCH.parse(value), blocks: parseBlocks(objectOf(value), tags) };
  },
};

function parseBlocks(members: Readonly<Record<string, unknown>>, tags: DepthTags | undefined): LogBlocks {
  const { blockHash, fromBlock, toBlock } = members;
  const from = fromBlock ?? undefined;
  const to = toBlock ?? undefined;
  if (blockHash === undefined || blockHash === null)
    return { kind: "range", from: parseBound(from, tags), to: parseBound(to, tags) };
  if (from !== undefined || to !== undefined) {
    throw invalidParams("Cannot specify both blockHash and fromBlock/toBlock");
  }
  return { kind: "block", hash: BLOCK_HASH.parse(blockHash) };
}

function parseBound(value: unknown, tags: DepthTags | undefined): BlockSelector | undefined {
  return value === undefined ? undefined : BOUND.parse(value, tags);
}

/** A single value counts as a list of one. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Number of topics, without a look at more positions than are allowed. */
function criteriaOf(positions: readonly unknown[]): number {
  const counted = positions.slice(0, MAX_CRITERIA).map((position) => Math.max(listOf(position).length, 1));
  return counted.reduce((sum, count) => sum + count, Math.max(positions.length - MAX_CRITERIA, 0));
}

/** Null, an empty list, and a list that contains null all match anything. */
function parsePosition(value: unknown): Uint8Array[] | null {
  if (value === null) return null;
  const list = listOf(value);
  const alternatives = list.filter((topic) => topic !== null).map((topic) => TOPIC.parse(topic));
  return alternatives.length === 0 || alternatives.length < list.length ? null : alternatives;
}

/** Number of addresses and topics, which the costs of a filter depend on. */
export function criteriaCount({ addresses, topics }: LogMatch): number {
  return topics.reduce((sum, alternatives) => sum + (alternatives?.length ?? 0), addresses?.length ?? 0);
}

/** Whether a block with this bloom filter may have matching logs (`spec/09 §9.4`). */
export function mayHaveLogs({ addresses, topics }: LogMatch, bloom: Uint8Array): boolean {
  return [addresses ?? null, ...topics].every(
    (alternatives) => alternatives === null || alternatives.some((value) => bloomContains(bloom, value)),
  );
}

/** Whether a filter covers a new block of this height; bounds given by name are no bounds here (`spec/09 §9.5`). */
export function isInRange({ blocks }: LogFilter, number: number): boolean {
  if (blocks.kind === "block") return false;
  const { from, to } = blocks;
  if (to?.kind === "earliest" && number > 0) return false;
  return (from?.kind !== "number" || number >= from.number) && (to?.kind !== "number" || number <= to.number);
}
