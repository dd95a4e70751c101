/** One line of `scenarios.jsonl` (`test/vectors/scenarios/README.md`); hex with `0x`, large numbers in decimal. */
export interface ScenarioCase {
  name: string;
  rules: {
    chainId: number;
    activations: Record<string, number>;
    concurrentContractsDisallowed: string[];
  };
  genesis: { hash: string; rlp: string; stateRoot: string; difficulty: string; trie: Record<string, string> };
  transactions: Record<string, { hash: string; rlp: string; sender: string; contractAddress?: string | null }>;
  blocks: Record<string, ScenarioBlock>;
  steps: ScenarioStep[];
  finalState: Record<string, ScenarioAccount>;
}

export interface ScenarioBlock {
  hash: string;
  rlp: string;
  header: string;
  hashPreimage: string;
  number: number;
  version: number;
  stateRoot: string;
  edges: number[] | null;
  baseEvent: string | null;
  totalDifficulty: string;
  uncles: string[];
  transactions: string[];
  receipts: { rlp: string; status: number; gasUsed: string; contractAddress: string | null }[];
}

export interface ScenarioAccount {
  balance: string;
  nonce: string;
  code?: string;
  isContract: boolean;
  storage?: Record<string, string>;
}

interface BestBlock {
  hash: string;
  number: number;
  totalDifficulty: string;
}

export type ScenarioStep =
  | { op: "connect"; block: string; result: string; best: BestBlock }
  | { op: "process"; block: string; result: string; imports: Record<string, string>; best: BestBlock }
  | { op: "assert_best"; block: string; hash: string; holds: boolean }
  /** Checks the result of `block`, or of the last block that was connected. */
  | { op: "assert_connect"; block?: string; result?: string; holds: boolean }
  | { op: "assert_balance"; account: string; address: string; balance: string; holds: boolean }
  | { op: "assert_tx_success"; transaction: string; hash: string; holds: boolean }
  | { op: "pool_add"; transactions: PoolAddition[] };

/** A transaction added to the pool: whether it was accepted and whether it is pending, or the rejection. */
export interface PoolAddition {
  rlp: string;
  hash: string;
  added: boolean;
  pendingAdded: boolean;
  error?: string;
}

/** One line of `negative.jsonl`. */
export interface NegativeCase {
  name: string;
  steps: { kind: string; block: string; hash: string; rlp: string; result: string; best: string }[];
}
