import { toData } from "@cambium/primitives";
import { encodeReceipt } from "@cambium/types";
import { defineMethod, type MethodDefinition, required } from "../definition/method.js";
import { findBlock, findHeader, requireReceipts } from "../lookups/block-lookup.js";
import { blockSelector } from "../params/block-selector.js";
import { TRANSACTION_HASH } from "../params/value-types.js";
import { arrayOf, BYTES, orNull } from "../schemas/values.js";
import { rawTransaction } from "./transactions.js";

const BLOCK = blockSelector({ pending: false, hash: true, map: true });

/** Encodings as go-ethereum's `debug` module returns them. The result is null if the object is unknown. */
export const RAW_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "debug_getRawHeader",
    summary: "RLP encoding of a block's header whose Keccak-256 hash is the block's hash",
    params: [required("block", BLOCK)],
    result: orNull(BYTES),
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [selector]) => {
      const header = findHeader(chain, selector);
      return header === undefined ? null : toData(header.encode("hash"));
    },
  }),
  defineMethod({
    name: "debug_getRawBlock",
    summary: "RLP encoding of a block as peers exchange it, with its reward transaction in every mode",
    params: [required("block", BLOCK)],
    result: orNull(BYTES),
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [selector]) => {
      const block = findBlock(chain, selector);
      const encoded = block && chain.encodedBlock(block.hash);
      return encoded === undefined ? null : toData(encoded);
    },
  }),
  defineMethod({
    name: "debug_getRawReceipts",
    summary: "RLP encodings of a block's receipts, as the receipts root covers them",
    params: [required("block", BLOCK)],
    result: orNull(arrayOf(BYTES)),
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [selector]) => {
      const block = findBlock(chain, selector);
      return block === undefined ? null : requireReceipts(chain, block.hash).map((one) => toData(encodeReceipt(one)));
    },
  }),
  defineMethod({
    name: "debug_getRawTransaction",
    summary: "RLP encoding of a transaction of the best chain or of the pool",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(BYTES),
    handler: (parts, [hash]) => rawTransaction(parts, hash),
  }),
];
