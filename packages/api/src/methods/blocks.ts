import { toData, toQuantity } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { lookUpBlock } from "../calls/pending-lookup.js";
import { defineMethod, type MethodDefinition, type MethodParts, optional, required } from "../definition/method.js";
import type { Deadline } from "../limits/deadline.js";
import { findBlock } from "../lookups/block-lookup.js";
import {
  type BlockObject,
  blockObject,
  headerOf,
  type PendingBlockObject,
  pendingBlockObject,
  uncleObject,
} from "../objects/block.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import { BLOCK_HASH, BOOLEAN, INDEX, NUMBER } from "../params/value-types.js";
import { arrayOf, BYTES_32, orNull, QUANTITY, resource, TRUTH } from "../schemas/values.js";

const BLOCK = blockSelector({ pending: "lookup", hash: true, map: false });
const BLOCK_OR_PENDING = blockSelector({ pending: true, hash: true, map: false });

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

const BLOCK_INFORMATION = {
  type: "object",
  properties: { hash: BYTES_32, totalDifficulty: QUANTITY, inMainChain: TRUTH },
};

function uncleAt(parts: MethodParts, block: Block | undefined, index: number): BlockObject | null {
  const uncle = block?.uncles[index];
  return uncle === undefined ? null : uncleObject(parts, uncle);
}

async function selectedBlock(
  parts: MethodParts,
  selector: BlockSelector,
  full: boolean,
  deadline: Deadline,
): Promise<BlockObject | PendingBlockObject | null> {
  const block = await lookUpBlock(parts, selector, deadline);
  if (block === undefined) return null;
  return selector.kind === "pending" ? pendingBlockObject(parts, block, full) : blockObject(parts, block, full);
}

function quantityOrNull(value: number | undefined): string | null {
  return value === undefined ? null : toQuantity(value);
}

/** Methods for blocks and uncles (`spec/09 §7.5`). The result is null if the object is unknown. */
export const BLOCK_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_getBlockByHash",
    summary: "A block of any chain by its hash",
    params: [required("hash", BLOCK_HASH), optional("fullTransactions", BOOLEAN, false)],
    result: orNull(resource("Block")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [hash, full]) => {
      const block = parts.chain.blockByHash(hash);
      return block === undefined ? null : blockObject(parts, block, full);
    },
  }),
  defineMethod({
    name: "eth_getBlockByNumber",
    summary: "A block of the best chain by its number",
    params: [required("block", BLOCK), optional("fullTransactions", BOOLEAN, false)],
    result: orNull(resource("Block")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [selector, full], deadline) => selectedBlock(parts, selector, full, deadline),
  }),
  defineMethod({
    name: "eth_getHeaderByHash",
    summary: "The header of a block of any chain: the block without transactions, uncles and size",
    params: [required("hash", BLOCK_HASH)],
    result: orNull(resource("Header")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [hash]) => {
      const block = parts.chain.blockByHash(hash);
      return block === undefined ? null : headerOf(blockObject(parts, block, false));
    },
  }),
  defineMethod({
    name: "eth_getHeaderByNumber",
    summary: "The header of a block of the best chain: the block without transactions, uncles and size",
    params: [required("block", BLOCK)],
    result: orNull(resource("Header")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async (parts, [selector], deadline) => {
      const block = await selectedBlock(parts, selector, false, deadline);
      return block && headerOf(block);
    },
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
  defineMethod({
    name: "eth_getUncleCountByBlockHash",
    summary: "Number of uncles of a block",
    params: [required("hash", BLOCK_HASH)],
    result: orNull(QUANTITY),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [hash]) => quantityOrNull(chain.blockByHash(hash)?.uncles.length),
  }),
  defineMethod({
    name: "eth_getUncleCountByBlockNumber",
    summary: "Number of uncles of a block",
    params: [required("block", BLOCK)],
    result: orNull(QUANTITY),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async (parts, [selector], deadline) => {
      return quantityOrNull((await lookUpBlock(parts, selector, deadline))?.uncles.length);
    },
  }),
  defineMethod({
    name: "eth_getUncleByBlockHashAndIndex",
    summary: "An uncle of a block, as a block object",
    params: [required("hash", BLOCK_HASH), required("index", INDEX)],
    result: orNull(resource("Block")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [hash, index]) => uncleAt(parts, parts.chain.blockByHash(hash), index),
  }),
  defineMethod({
    name: "eth_getUncleByBlockNumberAndIndex",
    summary: "An uncle of a block, as a block object",
    params: [required("block", BLOCK), required("index", INDEX)],
    result: orNull(resource("Block")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: async (parts, [selector, index], deadline) => {
      return uncleAt(parts, await lookUpBlock(parts, selector, deadline), index);
    },
  }),
];
