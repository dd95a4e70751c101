import { defineMethod, type MethodDefinition, required } from "../../definition/method.js";
import { findBlock } from "../../lookups/block-lookup.js";
import { blockDetails, blockTransactions } from "../../otterscan/blocks.js";
import { blockSelector } from "../../params/block-selector.js";
import { BLOCK_HASH } from "../../params/value-types.js";
import { COUNT as JSON_COUNT, orNull, resource } from "../../schemas/values.js";
import { BLOCK_METHODS } from "../blocks.js";
import { COUNT, PAGE_SIZE } from "./page-params.js";

/** Version of the methods that Otterscan looks for. */
const API_LEVEL = 8;

const BLOCK = blockSelector({ pending: false, hash: false, map: false });

const HEADER = BLOCK_METHODS.find(({ name }) => name === "eth_getHeaderByNumber")!;

/** Methods for blocks. The result is null if the block is unknown. */
export const OTTERSCAN_BLOCK_METHODS: readonly MethodDefinition[] = [
  { ...HEADER, name: "erigon_getHeaderByNumber", module: "erigon", sameAs: HEADER.name },
  defineMethod({
    name: "ots_getApiLevel",
    summary: "Version of the `ots` methods",
    params: [],
    result: JSON_COUNT,
    reads: "chain",
    handler: () => API_LEVEL,
  }),
  defineMethod({
    name: "ots_getBlockDetails",
    summary: "A block of the best chain without its transactions, but with their number and fees",
    params: [required("block", BLOCK)],
    result: orNull(resource("BlockDetails")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [selector]) => {
      const block = findBlock(parts.chain, selector);
      return block === undefined ? null : blockDetails(parts, block);
    },
  }),
  defineMethod({
    name: "ots_getBlockDetailsByHash",
    summary: "A block of any chain without its transactions, but with their number and fees",
    params: [required("hash", BLOCK_HASH)],
    result: orNull(resource("BlockDetails")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [hash]) => {
      const block = parts.chain.blockByHash(hash);
      return block === undefined ? null : blockDetails(parts, block);
    },
  }),
  defineMethod({
    name: "ots_getBlockTransactions",
    summary:
      "A page of a block's transactions and receipts, with four bytes of input and without logs; page 0 ends with the last transaction",
    params: [required("block", BLOCK), required("page", COUNT), required("pageSize", PAGE_SIZE)],
    result: orNull(resource("BlockTransactions")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [selector, page, pageSize]) => {
      const block = findBlock(parts.chain, selector);
      return block === undefined ? null : blockTransactions(parts, block, page, pageSize);
    },
  }),
];
