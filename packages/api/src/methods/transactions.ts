import { locatedReceipts } from "@cambium/chain";
import { equalBytes, toData } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { defineMethod, type MethodDefinition, type MethodParts, required } from "../definition/method.js";
import { findBlock, requireReceipts } from "../lookups/block-lookup.js";
import { minedTransaction } from "../lookups/sender-nonce.js";
import { receiptObject } from "../objects/receipt.js";
import {
  pendingTransactionObject,
  type TransactionObject,
  transactionIn,
  transactionObject,
} from "../objects/transaction.js";
import { blockSelector } from "../params/block-selector.js";
import { ADDRESS, INDEX, NUMBER, TRANSACTION_HASH } from "../params/value-types.js";
import { arrayOf, BYTES, orNull, resource } from "../schemas/values.js";
import { receiptOf } from "../sending/receipt-waiting.js";
import { blockPair } from "./block-pair.js";

const BLOCK = blockSelector({ pending: false, hash: true, map: false });
const LOOKUP = blockSelector({ pending: "lookup", hash: true, map: false });
const BLOCK_OR_MAP = blockSelector({ pending: false, hash: true, map: true });

function transactionAt(parts: MethodParts, block: Block, index: number): TransactionObject | null {
  if (index >= block.transactions.length) return null;
  return transactionObject(transactionIn(block, index), parts.config.zeroSignatureIfRemasc);
}

/** Encoding of a transaction of the best chain, or of one in the pool. */
export function rawTransaction({ chain, pool }: MethodParts, hash: Uint8Array): string | null {
  const transaction = chain.findTransaction(hash)?.transaction ?? pool.get(hash)?.transaction;
  return transaction === undefined ? null : toData(transaction.encoded);
}

/** Methods for transactions and receipts (`spec/09 §7.6`). The result is null if the object is unknown. */
export const TRANSACTION_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "eth_getTransactionByHash",
    summary: "A transaction of the pool, or of the best chain",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(resource("Transaction")),
    reads: "chain and pool",
    handler: (parts, [hash]) => {
      const found = parts.chain.findTransaction(hash);
      if (found !== undefined) return transactionObject(found, parts.config.zeroSignatureIfRemasc);
      // Pending, or waiting for a nonce (`spec/09 §7.6`).
      const pooled = parts.pool.get(hash);
      return pooled === undefined ? null : pendingTransactionObject(pooled.transaction);
    },
  }),
  ...blockPair({
    names: ["eth_getTransactionByBlockHashAndIndex", "eth_getTransactionByBlockNumberAndIndex"],
    summaries: [
      "A transaction by its index in a block of any chain",
      "A transaction by its index in a block of the best chain",
    ],
    selector: LOOKUP,
    params: [required("index", INDEX)],
    result: resource("Transaction"),
    read: (parts, block, [index], isPending) => {
      if (!isPending) return transactionAt(parts, block, index);
      const transaction = block.transactions[index];
      return transaction === undefined ? null : pendingTransactionObject(transaction);
    },
  }),
  defineMethod({
    name: "eth_getTransactionBySenderAndNonce",
    summary: "The transaction of an account with a nonce, on the best chain or in the pool",
    params: [required("sender", ADDRESS), required("nonce", NUMBER)],
    result: orNull(resource("Transaction")),
    reads: "chain and pool",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [sender, nonce]) => {
      const { chain, pool } = parts;
      const mined = minedTransaction(chain, sender, nonce);
      if (mined !== undefined) return transactionAt(parts, mined.block, mined.index);
      const pooled = [...pool.pending(), ...pool.queued()].find(
        ({ sender: own, transaction }) => transaction.nonce === nonce && equalBytes(own, sender),
      );
      return pooled === undefined ? null : pendingTransactionObject(pooled.transaction);
    },
  }),
  defineMethod({
    name: "eth_getTransactionReceipt",
    summary: "Receipt of a transaction of the best chain",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(resource("Receipt")),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: (parts, [hash]) => receiptOf(parts, hash),
  }),
  defineMethod({
    name: "eth_getBlockReceipts",
    summary: "Receipts of all transactions of a block, in their order",
    params: [required("block", BLOCK_OR_MAP)],
    result: orNull(arrayOf(resource("Receipt"))),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    handler: ({ chain }, [selector]) => {
      const block = findBlock(chain, selector);
      if (block === undefined) return null;
      const receipts = locatedReceipts(requireReceipts(chain, block.hash));
      return receipts.map((located, i) => receiptObject(transactionIn(block, i), located));
    },
  }),
  defineMethod({
    name: "eth_getRawTransactionByHash",
    summary: "RLP encoding of a transaction of the best chain or of the pool",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(BYTES),
    reads: "chain and pool",
    handler: (parts, [hash]) => rawTransaction(parts, hash),
  }),
  ...blockPair({
    names: ["eth_getRawTransactionByBlockHashAndIndex", "eth_getRawTransactionByBlockNumberAndIndex"],
    summaries: [
      "RLP encoding of a transaction by its index in a block of any chain",
      "RLP encoding of a transaction by its index in a block of the best chain",
    ],
    selector: BLOCK,
    params: [required("index", INDEX)],
    result: BYTES,
    read: (_, { transactions }, [index]) => (index < transactions.length ? toData(transactions[index]!.encoded) : null),
  }),
];
