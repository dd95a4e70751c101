import type { Block } from "@cambium/types";
import { lookUpBlock } from "../calls/pending-lookup.js";
import {
  type Arguments,
  defineMethod,
  type MethodDefinition,
  type MethodName,
  type MethodParts,
  type Param,
  required,
} from "../definition/method.js";
import type { BlockSelector } from "../params/block-selector.js";
import type { JsonSchema, ParamType } from "../params/param-type.js";
import { BLOCK_HASH } from "../params/value-types.js";
import { orNull } from "../schemas/values.js";

/** Two methods that read a block: one of any chain by its hash, and one of the best chain by its number. */
interface BlockPair<P extends readonly Param<unknown>[]> {
  names: readonly [byHash: MethodName, byNumber: MethodName];
  summaries: readonly [byHash: string, byNumber: string];
  /** Blocks that the method by number selects. */
  selector: ParamType<BlockSelector>;
  /** Parameters of both after the block. */
  params: P;
  result: JsonSchema;
  /** Reads the result from a block. It is null if there is no such block. */
  read(parts: MethodParts, block: Block, args: Arguments<P>, isPending: boolean): unknown;
}

/** Defines methods that differ only in how they select a block. */
export function blockPair<const P extends readonly Param<unknown>[]>(pair: BlockPair<P>): MethodDefinition[] {
  const { names, summaries, params } = pair;
  const read = (parts: MethodParts, block: Block | undefined, args: unknown, isPending: boolean) =>
    block === undefined ? null : pair.read(parts, block, args as Arguments<P>, isPending);
  const common = { result: orNull(pair.result), reads: "chain", errors: ["STATE_NOT_FOUND"] } as const;
  return [
    defineMethod({
      ...common,
      name: names[0],
      summary: summaries[0],
      params: [required("hash", BLOCK_HASH), ...params],
      handler: (parts, [hash, ...args]) => read(parts, parts.chain.blockByHash(hash), args, false),
    }),
    defineMethod({
      ...common,
      name: names[1],
      summary: summaries[1],
      params: [required("block", pair.selector), ...params],
      handler: async (parts, [selector, ...args], deadline) =>
        read(parts, await lookUpBlock(parts, selector, deadline), args, selector.kind === "pending"),
    }),
  ];
}
