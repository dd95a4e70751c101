import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { vectorPath } from "@cambium/test-utils/vectors";

/** Hex strings have `0x`; integers that can be large are decimal strings. Format: README of the chains' folder. */
export interface CompanionLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: number;
  blockHash: string;
  transactionHash: string;
  transactionIndex: number;
  logIndex: number;
}

export interface CompanionBlock {
  number: number;
  hash: string;
  parentHash: string;
  result: string;
  stateRoot: string;
  receiptsRoot: string;
  transactionsRoot: string;
  unclesHash: string;
  gasUsed: number;
  gasLimit: number;
  paidFees: string;
  minimumGasPrice: string;
  difficulty: string;
  totalDifficulty: string;
  timestamp: number;
  miner: string;
  hashForMergedMining: string;
  executionEdges: number[];
  uncles: string[];
  size: number;
  transactions: string[];
  /** Encoded, in transaction order. */
  receipts: string[];
  receiptGasUsed: number[];
  receiptStatus: boolean[];
  /** null for the reward transaction. */
  senders: (string | null)[];
}

export interface CompanionCall {
  blockNumber: number;
  blockHash: string;
  from: string;
  to: string;
  data: string;
  gas: number;
  output: string;
  reverted: boolean;
  failed: boolean;
  exception?: string;
}

export interface Companion {
  chainId: number;
  genesisHash: string;
  bestBlock: { number: number; hash: string; stateRoot: string; totalDifficulty: string };
  blocks: CompanionBlock[];
  accounts: {
    address: string;
    balance: string;
    nonce: string;
    isContract: boolean;
    codeLength: number;
    codeHashStandard: string;
  }[];
  contracts: { label: string; address: string; storage: { slot: string; value: string }[] }[];
  calls: CompanionCall[];
  logs: CompanionLog[];
}

/** A recorded chain: the file of its blocks, and their expected contents. */
export interface RecordedChain {
  name: string;
  blockFile: string;
  companion: Companion;
  /** Ascending, without genesis. */
  bestChain: CompanionBlock[];
  /** Accepted blocks off the best chain. */
  sideBlocks: CompanionBlock[];
}

export function recordedChain(name: string): RecordedChain {
  const blockFile = vectorPath("chains", `${name}.blocks.txt.gz`);
  const companionFile = vectorPath("chains", `${name}.json.gz`);
  const companion: Companion = JSON.parse(gunzipSync(readFileSync(companionFile)).toString());
  const accepted = new Map(companion.blocks.filter(isAccepted).map((block) => [block.hash, block]));
  const bestChain: CompanionBlock[] = [];
  for (let block = accepted.get(companion.bestBlock.hash); block; block = accepted.get(block.parentHash)) {
    bestChain.unshift(block);
    accepted.delete(block.hash);
  }
  return { name, blockFile, companion, bestChain, sideBlocks: [...accepted.values()] };
}

function isAccepted({ result }: CompanionBlock): boolean {
  return result === "IMPORTED_BEST" || result === "IMPORTED_NOT_BEST";
}
