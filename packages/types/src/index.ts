export {
  Block,
  blockItems,
  checkRawBody,
  decodeBlockHeader,
  decodeTransactionAt,
  decodeTransactions,
  decodeUncles,
  unclesHash,
} from "./block.js";
export { addToBloom, BLOOM_LENGTH, bloomContains, bloomOfLogs, bloomTest, uniteBlooms } from "./bloom.js";
export type { CodecWork } from "./codec-work.js";
export { type TransactionField, TypesError } from "./errors.js";
export { decodeExtension, encodeExtension, extensionData } from "./extension.js";
export { gasValue } from "./gas.js";
export { EMPTY_UNCLES_HASH, genesisBlock } from "./genesis.js";
export { BlockHeader } from "./header.js";
export { impersonatedTransaction, recogniseImpersonated } from "./impersonation.js";
export type { HeaderFields, Log, Receipt } from "./interface.js";
export {
  applySender,
  applySenders,
  areSendersComplete,
  packKnownSenders,
  packSenders,
  SENDER_BYTES,
} from "./packed-senders.js";
export { decodeReceipt, encodeReceipt, summariseReceipt } from "./receipt.js";
export { encodedReceiptsRoot, rawTransactionsRoot, receiptsRoot, transactionsRoot } from "./roots.js";
export { recoverSender } from "./sender-recovery.js";
export { Transaction } from "./transaction.js";
export {
  buildTransaction,
  rewardTransaction,
  signTransaction,
  type TransactionRequest,
} from "./transaction-building.js";
