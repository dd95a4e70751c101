import type { ChainReader } from "@cambium/chain";
import { EMPTY_TRIE_ROOT, toData, toQuantity } from "@cambium/primitives";
import { Block, type BlockHeader } from "@cambium/types";
import { hasBlockAliases, isDeployed } from "../compatibility.js";
import type { ApiConfig } from "../config.js";
import { addressData, optionalData, ZERO_HASH } from "./format.js";
import { pendingTransactionObject, type TransactionObject, transactionIn, transactionObject } from "./transaction.js";

/**
 * Block object (`spec/09 §6.1`). It lacks `baseFeePerGas`, because client libraries would then send transactions of
 * type 2.
 */
export interface BlockObject {
  number: string;
  hash: string;
  parentHash: string;
  mixHash: string;
  nonce: string;
  sha3Uncles: string;
  logsBloom: string;
  transactionsRoot: string;
  stateRoot: string;
  receiptsRoot: string;
  miner: string;
  difficulty: string;
  totalDifficulty: string;
  cumulativeDifficulty: string;
  extraData: string;
  size: string;
  gasLimit: string;
  gasUsed: string;
  timestamp: string;
  transactions: string[] | TransactionObject[];
  uncles: string[];
  minimumGasPrice: string;
  parentChainMergedMiningHeader: string;
  parentChainMergedMiningCoinbaseTransaction: string;
  parentChainMergedMiningMerkleProof: string;
  hashForMergedMining: string;
  paidFees: string;
  pteEdges: readonly number[] | null;
  baseEvent: string | null;
}

/** The deployed client's name of a member by its name here (`spec/09`, table of names). */
const BLOCK_MEMBERS: Readonly<Record<string, string>> = {
  parentChainMergedMiningHeader: "bitcoinMergedMiningHeader",
  parentChainMergedMiningCoinbaseTransaction: "bitcoinMergedMiningCoinbaseTransaction",
  parentChainMergedMiningMerkleProof: "bitcoinMergedMiningMerkleProof",
  pteEdges: "rskPteEdges",
};

/** The parts that block objects are made from. */
interface BlockParts {
  chain: ChainReader;
  config: ApiConfig;
}

/** The pending block: members that only a mined block has are null (`spec/09 §6.1`). */
export type PendingBlockObject = Omit<BlockObject, "number" | "hash" | "nonce" | "logsBloom" | "miner"> & {
  /** Number of the block, which go-ethereum's client requires; null with the deployed client's behaviour. */
  number: string | null;
  hash: null;
  nonce: null;
  logsBloom: string | null;
  /** Null with the deployed client's behaviour; otherwise the beneficiary. */
  miner: string | null;
};

/** Object of a stored block, with transaction hashes or full transactions. */
export function blockObject(parts: BlockParts, block: Block, fullTransactions: boolean): BlockObject {
  const { config } = parts;
  const object: BlockObject = {
    ...headerMembers(block.header),
    totalDifficulty: toQuantity(parts.chain.totalDifficulty(block.hash) ?? 0n),
    cumulativeDifficulty: toQuantity(block.cumulativeDifficulty),
    size: toQuantity(block.size),
    transactions: fullTransactions
      ? block.transactions.map((_, i) => transactionObject(transactionIn(block, i), config.zeroSignatureIfRemasc))
      : block.transactions.map((transaction) => toData(transaction.hash)),
    uncles: block.uncles.map((uncle) => toData(uncle.hash)),
  };
  if (config.skipRemasc && block.transactions.length === 0) object.transactionsRoot = toData(EMPTY_TRIE_ROOT);
  return hasBlockAliases(parts) ? withBlockAliases(object) : object;
}

/** The block without its transactions, as go-ethereum returns headers. */
export type HeaderObject<T = BlockObject> = Omit<T, "transactions" | "uncles" | "size">;

/** Header of a block that {@link blockObject} or {@link pendingBlockObject} has made. */
export function headerOf<T extends BlockObject | PendingBlockObject>(object: T): HeaderObject<T> {
  const { transactions: _, uncles: __, size: ___, ...header } = object;
  return header;
}

/** Object of the block that would be mined next. */
export function pendingBlockObject(parts: BlockParts, block: Block, fullTransactions: boolean): PendingBlockObject {
  const { chain, config } = parts;
  const parentTotal = chain.totalDifficulty(block.header.parentHash) ?? 0n;
  const object = {
    ...blockObject(parts, block, false),
    hash: null,
    nonce: null,
    totalDifficulty: toQuantity(parentTotal + block.cumulativeDifficulty),
  };
  const transactions = fullTransactions ? block.transactions.map(pendingTransactionObject) : object.transactions;
  return isDeployed(config)
    ? { ...object, transactions, number: null, logsBloom: null, miner: null }
    : { ...object, transactions };
}

/** Block object of an uncle, without transactions and uncles; total difficulty is known only if it was imported too. */
export function uncleObject(parts: BlockParts, uncle: BlockHeader): BlockObject {
  const object: BlockObject = {
    ...headerMembers(uncle),
    totalDifficulty: toQuantity(parts.chain.totalDifficulty(uncle.hash) ?? 0n),
    cumulativeDifficulty: toQuantity(uncle.difficultyValue),
    size: toQuantity(new Block(uncle, [], []).size),
    transactions: [],
    uncles: [],
  };
  return hasBlockAliases(parts) ? withBlockAliases(object) : object;
}

function headerMembers(header: BlockHeader) {
  return {
    number: toQuantity(header.number),
    hash: toData(header.hash),
    parentHash: toData(header.parentHash),
    // This chain has neither member, but client libraries expect them (`spec/09 §6.1`).
    mixHash: ZERO_HASH,
    nonce: "0x0000000000000000",
    sha3Uncles: toData(header.unclesHash),
    logsBloom: toData(header.logsBloom),
    transactionsRoot: toData(header.transactionsRoot),
    stateRoot: toData(header.stateRoot),
    receiptsRoot: toData(header.receiptsRoot),
    miner: addressData(header.coinbase),
    difficulty: toQuantity(header.difficultyValue),
    extraData: toData(header.extraData),
    gasLimit: toQuantity(header.gasLimitValue),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: toQuantity(header.timestamp),
    minimumGasPrice: toQuantity(header.minimumGasPriceValue),
    parentChainMergedMiningHeader: optionalData(header.parentChainHeader),
    parentChainMergedMiningCoinbaseTransaction: optionalData(header.parentChainCoinbase),
    parentChainMergedMiningMerkleProof: optionalData(header.merkleProof),
    hashForMergedMining: toData(header.hashForMergedMining),
    paidFees: toQuantity(header.paidFees),
    pteEdges: header.executionEdges,
    baseEvent: header.baseEvent === null || header.baseEvent.length === 0 ? null : toData(header.baseEvent),
  };
}

/** The block object with renamed members under both names. */
function withBlockAliases<T extends object>(block: T): T {
  const aliases = Object.entries(block).flatMap(([own, value]) => {
    return Object.hasOwn(BLOCK_MEMBERS, own) ? [[BLOCK_MEMBERS[own]!, value] as const] : [];
  });
  return { ...block, ...Object.fromEntries(aliases) };
}
