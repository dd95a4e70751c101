import type { NetworkConfig } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import { fromHex, fromQuantity } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, type KeyedStateView } from "@cambium/state";
import { type AncestorLists, ancestorReader } from "../ancestors.js";
import { type ExecutedBlock, executeTransactions } from "../block-execution.js";
import type { StateTest, StateTestRun } from "./format.js";

export interface RunInput {
  test: StateTest;
  run: StateTestRun;
  network: NetworkConfig;
  evm: Evm;
  pre: KeyedStateView;
  ancestors: AncestorLists;
}

export interface ActualRun extends ExecutedBlock {
  postRoot: Uint8Array;
  /** State after the commit, to inspect if the root is wrong. */
  state: JournaledState;
}

/** Executes a run as a block of its transactions. */
export function executeRun(input: RunInput): ActualRun {
  const { run, network, evm } = input;
  const state = new JournaledState(input.pre);
  const block = executingBlock(input);
  const executed = executeTransactions({ network, evm, block, state, transactions: run.txs.map(fromHex) });
  return { ...executed, postRoot: state.commit().root, state };
}

function executingBlock({ test, run, network, ancestors }: RunInput): ExecutingBlock {
  const reader = ancestorReader(run.ancestors === undefined ? [] : ancestors[run.ancestors]!, network);
  const { env } = test;
  return {
    number: run.number,
    timestamp: fromQuantity(env.timestamp),
    parentHash: reader.hash(run.number - 1)!,
    coinbase: fromHex(env.coinbase),
    difficulty: fromQuantity(env.difficulty),
    gasLimit: fromQuantity(env.gasLimit),
    minimumGasPrice: fromQuantity(env.minimumGasPrice),
    ancestors: reader,
  };
}
