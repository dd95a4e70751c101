import { invalidParams, RpcError } from "../errors.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import type { ParamType } from "../params/param-type.js";
import { INDEX, NUMBER, objectOf } from "../params/value-types.js";
import { BLOCK_OVERRIDES, type BlockOverrides } from "./block-overrides.js";
import { CALL_OBJECT, type CallObject } from "./call-object.js";

/** Calls of one block, each on the state that the one before left (Erigon, reth: `Bundle`). */
export interface Bundle {
  calls: readonly CallObject[];
  blockOverrides: BlockOverrides;
}

/** State in which the first bundle starts. */
export interface StateContext {
  block: BlockSelector;
  /** Start before this transaction of the block; undefined: after all of them. */
  transactionIndex: number | undefined;
}

/** Calls of one request. */
export const MAX_BUNDLED_CALLS = 1_000;

const BLOCK = blockSelector({ pending: true, hash: true, map: true });

/** State after the best block. */
export const LATEST_STATE: StateContext = { block: { kind: "latest" }, transactionIndex: undefined };

export const BUNDLES: ParamType<readonly Bundle[]> = {
  name: "BUNDLES",
  errors: ["CLIENT_LIMIT"],
  schema: { type: "array", items: { $ref: "#/components/schemas/Bundle" }, maxItems: MAX_BUNDLED_CALLS },
  parse(value) {
    if (!Array.isArray(value)) throw invalidParams("Invalid input");
    requireCount(value.length);
    const bundles = value.map(objectOf);
    const lists = bundles.map(({ transactions }) => listOf(transactions));
    requireCount(lists.reduce((sum, list) => sum + list.length, 0));
    return bundles.map(({ blockOverride }, index) => ({
      calls: lists[index]!.map((call) => CALL_OBJECT.parse(call)),
      blockOverrides: parseOverrides(blockOverride),
    }));
  },
};

export const STATE_CONTEXT: ParamType<StateContext> = {
  name: "STATE_CONTEXT",
  schema: { $ref: "#/components/schemas/StateContext" },
  parse(value, tags) {
    const { blockNumber, transactionIndex } = objectOf(value);
    return {
      block: blockNumber === undefined || blockNumber === null ? LATEST_STATE.block : BLOCK.parse(blockNumber, tags),
      transactionIndex: parseIndex(transactionIndex),
    };
  },
};

/** Throws {@link RpcError} unless there are calls, and not too many. */
export function requireCount(calls: number): void {
  if (calls === 0) throw invalidParams("empty bundles");
  if (calls <= MAX_BUNDLED_CALLS) return;
  throw new RpcError({ code: "CLIENT_LIMIT", text: `too many calls: at most ${MAX_BUNDLED_CALLS} are allowed` });
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidParams("Invalid input: transactions must be an array");
  return value;
}

/** -1 is "all of them"; libraries send numbers. */
function parseIndex(value: unknown): number | undefined {
  if (value === undefined || value === null || value === -1) return undefined;
  return INDEX.parse(
    Number.isSafeInteger(value) && (value as number) >= 0 ? `0x${(value as number).toString(16)}` : value,
  );
}

/** Erigon has two names that differ from go-ethereum's. */
function parseOverrides(value: unknown): BlockOverrides {
  const { blockNumber, timestamp, ...members } = objectOf(value ?? {});
  return BLOCK_OVERRIDES.parse({
    ...members,
    number: members.number ?? given(blockNumber),
    time: members.time ?? given(timestamp),
  });
}

function given(value: unknown): unknown {
  return value === undefined || value === null ? undefined : NUMBER.parse(value).toString();
}
