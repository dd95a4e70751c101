import { toData, toQuantity } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import { findBlock } from "../lookups/block-lookup.js";
import {
  type BlockObject,
  blockObject,
  headerOf,
  type PendingBlockObject,
  pendingBlockObject,
  uncleObject,
} from "../objects/block.js";
import { blockSelector } from "../params/block-selector.js";
import { BLOCK_HASH, BOOLEAN, INDEX, NUMBER } from "../params/value-types.js";
import { arrayOf, BYTES_32, orNull, QUANTITY, resource, TRUTH } from "../schemas/values.js";
import { blockPair } from "./block-pair.js";

const BLOCK = blockSelector({ pending: "lookup", hash: true, map: false });
const BLOCK_OR_PENDING = blockSelector({ pending: true, hash: true, map: false });

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

const BLOCK_INFORMATION = {
  type: "object",
  properties: { hash: BYTES_32, totalDifficulty: QUANTITY, inMainChain: TRUTH },
};

function shownBlock(
  parts: MethodParts,
  block: Block,
  full: boolean,
  isPending: boolean,
): BlockObject | PendingBlockObject {
  return isPending ? pendingBlockObject(parts, block, full) : blockObject(parts, block, full);
}

function quantityOrNull(value: number | undefined): string | null {
  return value === undefined ? null : toQuantity(value);
}

/** Methods for blocks and uncles (`spec/09 §7.5`). The result is null if the object is unknown. */
export const BLOCK_METHODS: readonly MethodDefinition[] = [
  ...blockPair({
    names: ["eth_getBlockByHash", "eth_getBlockByNumber"],
    summaries: ["A block of any chain by its hash", "A block of the best chain by its number"],
    selector: BLOCK,
    params: [optional("fullTransactions", BOOLEAN, false)],
    result: resource("Block"),
    read: (parts, block, [full], isPending) => shownBlock(parts, block, full, isPending),
  }),
  ...blockPair({
    names: ["eth_getHeaderByHash", "eth_getHeaderByNumber"],
    summaries: [
      "The header of a block of any chain: the block without transactions, uncles and size",
      "The header of a block of the best chain: the block without transactions, uncles and size",
    ],
    selector: BLOCK,
    params: [],
    result: resource("Header"),
    read: (parts, block, _, isPending) => headerOf(shownBlock(parts, block, false, isPending)),
  }),
  defineMethod({
    name: "eth_getBlocksByNumber",
    summary: "All known blocks with a number, on the best chain or not, in order of arrival",
    params: [required("number", NUMBER)],
    result: arrayOf(BLOCK_INFORMATION),
    handler: ({ chain }, [number]) =>
      chain.hashesByNumber(number < MAX_NUMBER ? Number(number) : Number(MAX_NUMBER)).map((hash) => ({
        hash: toData(hash),
        totalDifficulty: toQuantity(chain.totalDifficulty(hash) ?? 0n),
        inMainChain: chain.isOnBestChain(hash),
      })),
  }),
  defineMethod({
    name: "eth_getBlockTransactionCountByHash",
    summary: "Number of transactions in a block, including the reward transaction",
    params: [required("hash", BLOCK_HASH)],
    result: orNull(QUANTITY),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [hash]) => quantityOrNull(chain.blockByHash(hash)?.transactions.length),
  }),
  defineMethod({
    name: "eth_getBlockTransactionCountByNumber",
    summary: "Number of transactions in a block, including the reward transaction",
    params: [required("block", BLOCK_OR_PENDING)],
    result: orNull(QUANTITY),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain, pool }, [selector]) => {
      if (selector.kind === "pending") return toQuantity(pool.counts().pending);
      return quantityOrNull(findBlock(chain, selector)?.transactions.length);
    },
  }),
  ...blockPair({
    names: ["eth_getUncleCountByBlockHash", "eth_getUncleCountByBlockNumber"],
    summaries: ["Number of uncles of a block", "Number of uncles of a block"],
    selector: BLOCK,
    params: [],
    result: QUANTITY,
    read: (_, { uncles }) => toQuantity(uncles.length),
  }),
  ...blockPair({
    names: ["eth_getUncleByBlockHashAndIndex", "eth_getUncleByBlockNumberAndIndex"],
    summaries: ["An uncle of a block, as a block object", "An uncle of a block, as a block object"],
    selector: BLOCK,
    params: [required("index", INDEX)],
    result: resource("Block"),
    read: (parts, { uncles }, [index]) => (index < uncles.length ? uncleObject(parts, uncles[index]!) : null),
  }),
];
