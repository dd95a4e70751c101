import { bigintToFixedBytes, equalBytes, toData } from "@cambium/primitives";
import { orderedListProof } from "@cambium/trie";
import { type BlockHeader, encodeReceipt } from "@cambium/types";
import { defineMethod, type MethodDefinition, optional, required } from "../definition/method.js";
import { findHeader, requireReceipt, requireReceipts, requireState } from "../lookups/block-lookup.js";
import { type BlockSelector, blockSelector } from "../params/block-selector.js";
import { ADDRESS, BLOCK_HASH, NUMBER, TRANSACTION_HASH } from "../params/value-types.js";
import { arrayOf, BYTES, orNull } from "../schemas/values.js";

const LATEST: BlockSelector = { kind: "latest" };
const BLOCK = blockSelector({ pending: false, hash: true, map: false });
const STATE_BLOCK = blockSelector({ pending: false, hash: true, map: true });

/** Methods for encoded headers and receipts (`spec/09 §13.4`). The result is null if the object is unknown. */
export const CHAIN_METHODS: readonly MethodDefinition[] = [
  defineMethod({
    name: "chain_getRawTransactionReceiptByHash",
    summary: "RLP-encoded receipt of a transaction of the best chain",
    params: [required("hash", TRANSACTION_HASH)],
    result: orNull(BYTES),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    aliases: ["rsk_getRawTransactionReceiptByHash"],
    handler: ({ chain }, [hash]) => {
      const found = chain.findTransaction(hash);
      return found === undefined
        ? null
        : toData(encodeReceipt(requireReceipt(chain, found.header.hash, found.index).receipt));
    },
  }),
  defineMethod({
    name: "chain_getTransactionReceiptNodesByHash",
    summary: "Receipts-trie nodes from a transaction's receipt up to the root",
    params: [required("blockHash", BLOCK_HASH), required("transactionHash", TRANSACTION_HASH)],
    result: orNull(arrayOf(BYTES)),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    aliases: ["rsk_getTransactionReceiptNodesByHash"],
    handler: ({ chain }, [blockHash, hash]) => {
      const index = chain.blockByHash(blockHash)?.transactions.findIndex((one) => equalBytes(one.hash, hash)) ?? -1;
      const receipts = index < 0 ? [] : requireReceipts(chain, blockHash);
      const nodes = orderedListProof(receipts.map(encodeReceipt), index);
      return nodes === null ? null : nodes.map(toData);
    },
  }),
  defineMethod({
    name: "chain_getRawBlockHeaderByHash",
    summary: "RLP-encoded header of a block of any chain",
    params: [required("hash", BLOCK_HASH)],
    result: orNull(BYTES),
    reads: "chain",
    aliases: ["rsk_getRawBlockHeaderByHash"],
    handler: ({ chain }, [hash]) => rawHeader(chain.headerByHash(hash)),
  }),
  defineMethod({
    name: "chain_getRawBlockHeaderByNumber",
    summary: "RLP-encoded header of a block of the best chain",
    params: [required("block", BLOCK)],
    result: orNull(BYTES),
    reads: "chain",
    errors: ["STATE_NOT_FOUND"],
    aliases: ["rsk_getRawBlockHeaderByNumber"],
    handler: ({ chain }, [selector]) => rawHeader(findHeader(chain, selector)),
  }),
  defineMethod({
    name: "chain_getStorageBytesAt",
    summary: "Raw value of a storage cell, of any length",
    params: [required("address", ADDRESS), required("position", NUMBER), optional("block", STATE_BLOCK, LATEST)],
    // An empty cell is 0x0.
    result: { anyOf: [BYTES, { const: "0x0" }] },
    errors: ["STATE_NOT_FOUND"],
    aliases: ["rsk_getStorageBytesAt"],
    handler: ({ chain }, [address, position, block]) => {
      const cell = requireState(chain, block).getStorageBytes(address, bigintToFixedBytes(position, 32));
      return cell === undefined ? "0x0" : toData(cell);
    },
  }),
];

/** Uncompressed encoding; from RSKIP-92 on without Merkle proof and parent-chain coinbase. */
function rawHeader(header: BlockHeader | undefined): string | null {
  return header === undefined ? null : toData(header.encode("spv"));
}
