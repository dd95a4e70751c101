// The parts of test/vectors/state-tests that are read: quantities and byte strings are hex with 0x.

import type { VectorNetwork } from "../networks.js";
import type { PreAccount } from "../pre-state.js";

export interface StateTestEnvironment {
  coinbase: string;
  difficulty: string;
  gasLimit: string;
  timestamp: string;
  minimumGasPrice: string;
}

/** Expected outcome of one transaction; of a rejected one only `rejected` is compared. */
export interface StateTestResult {
  rejected?: "invalid" | "error";
  reason?: string;
  hash?: string;
  sender?: string;
  status?: 0 | 1;
  gasUsed?: string;
  cumulativeGas?: string;
  created?: string;
  logs?: { address: string; topics: string[]; data: string }[];
  output?: string | null;
  outputHash?: string;
  outputSize?: number | string;
  exception?: string;
  reverted?: boolean;
  refund?: string;
  paidFees?: string;
  receipt?: string;
  receiptHash?: string;
}

export interface StateTestPostAccount {
  nonce: string;
  balance: string;
  contract?: boolean;
  codeHash?: string;
  storage?: Record<string, string | null>;
}

export interface StateTestRun {
  id: string;
  network: VectorNetwork;
  number: number;
  ancestors?: string;
  txs: string[];
  results: StateTestResult[];
  gasUsed: string;
  paidFees: string;
  receiptsRoot: string;
  logsBloom?: string;
  postRoot: string;
  post: Record<string, StateTestPostAccount | null>;
}

export interface StateTest {
  name: string;
  env: StateTestEnvironment;
  pre: Record<string, PreAccount>;
  preRoot: string;
  runs: StateTestRun[];
}
