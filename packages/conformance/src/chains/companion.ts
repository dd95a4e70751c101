/** JSON companion file of a chain (`test/vectors/chains/README.md`); hex with `0x`. */
export interface ChainCompanion {
  name: string;
  chainId: number;
  genesisHash: string;
  genesisStateRoot: string;
  bestBlock?: ExpectedBest;
  blocks?: ExpectedBlock[];
  steps?: ExpectedStep[];
  accounts?: ExpectedAccount[];
  contracts?: ExpectedContract[];
  calls?: ExpectedCall[];
  logs?: ExpectedLog[];
  balanceHistory?: ({ number: number } & Record<string, string | number>)[];
  excludedTransactions?: { hash: string; raw: string; reason: string }[];
  /** Cases of a file with single-fault blocks. */
  cases?: ExpectedCase[];
  /** State roots of some blocks of a long chain. */
  stateRoots?: { number: number; hash: string; stateRoot: string }[];
  transactions?: number;
  gasUsed?: number;
}

export interface ExpectedBest {
  number: number;
  hash: string;
  stateRoot: string;
  totalDifficulty: string;
}

export interface ExpectedBlock {
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
  headerVersion: number;
  hashForMergedMining: string;
  miningForkDetectionData: string;
  extensionData: string;
  executionEdges: number[] | null;
  uncles: string[];
  size: number;
  transactions: string[];
  receipts: string[];
  receiptGasUsed: number[];
  receiptStatus: boolean[];
  senders: (string | null)[];
  rewardLogs: ExpectedLog[];
}

export interface ExpectedStep {
  result: string;
  bestNumber: number;
  bestHash: string;
  bestTotalDifficulty: string;
  events: string[];
  reorganisation?: { commonAncestor: string; oldBlocks: string[]; newBlocks: string[] };
}

export interface ExpectedAccount {
  name: string;
  address: string;
  exists: boolean;
  balance: string;
  nonce: string;
  isContract: boolean;
  codeLength: number;
  /** null if there is no account. */
  codeHashStandard: string | null;
}

export interface ExpectedContract {
  label: string;
  address: string;
  storageKeysInTrie: number;
  storage: { slot: string; value: string }[];
}

export interface ExpectedCall {
  blockNumber: number;
  blockHash: string;
  from: string;
  to: string;
  data: string;
  gas: number;
  gasPrice: number | string;
  value: number | string;
  gasUsed?: number;
  output?: string | null;
  reverted?: boolean;
  failed?: boolean;
  exception?: string;
  thrown?: string;
}

export interface ExpectedLog {
  address: string;
  topics: string[];
  data: string;
  blockNumber: number;
  blockHash: string;
  transactionHash: string;
  transactionIndex: number;
  logIndex: number;
}

export interface ExpectedCase {
  name: string;
  block: string;
  hash?: string;
  number?: number;
  result: string;
  rejectedBy: string;
  failedRules?: string[];
  executionReason?: string;
}
