import { hasExecutionLists, type NetworkConfig, REWARD_ADDRESS, rulesAt } from "@cambium/config";
import { type Evm, EvmError, type TransactionOutcome } from "@cambium/evm";
import { CambiumError, fromHex, fromQuantity } from "@cambium/primitives";
import { type ExecutingBlock, JournaledState, setUpNativeContracts, type TrieStateView } from "@cambium/state";
import { bloomOfLogs, type Receipt, receiptsRoot, Transaction } from "@cambium/types";
import { type AncestorLists, ancestorReader } from "./ancestors.js";
import type { StateTest, StateTestRun } from "./format.js";

export interface RunInput {
  test: StateTest;
  run: StateTestRun;
  network: NetworkConfig;
  evm: Evm;
  pre: TrieStateView;
  ancestors: AncestorLists;
}

/** One transaction: what it did, or why it was refused. */
export type ActualResult =
  | { transaction: Transaction; outcome: TransactionOutcome; receipt: Receipt }
  | { transaction?: Transaction; rejected: string };

export interface ActualRun {
  results: ActualResult[];
  gasUsed: bigint;
  paidFees: bigint;
  receiptsRoot: Uint8Array;
  postRoot: Uint8Array;
  /** After the commit, to look into when the root is wrong. */
  state: JournaledState;
}

/** Executes a run as a block of its transactions in the sequential list, skipping those that are refused. */
export function executeRun(input: RunInput): ActualRun {
  const { run, network } = input;
  const rules = rulesAt(network, run.number);
  const state = new JournaledState(input.pre);
  setUpNativeContracts(state, network, run.number);
  const list = new ListExecution(input, state);
  for (const bytes of run.txs) list.execute(fromHex(bytes));
  if (hasExecutionLists(rules) && list.paidFees > 0n) state.addBalance(REWARD_ADDRESS, list.paidFees);
  return {
    results: list.results,
    gasUsed: list.gasUsed,
    paidFees: list.paidFees,
    receiptsRoot: receiptsRoot(list.receipts, rules),
    postRoot: state.commit().root,
    state,
  };
}

class ListExecution {
  readonly results: ActualResult[] = [];
  readonly receipts: Receipt[] = [];
  gasUsed = 0n;
  paidFees = 0n;
  private readonly deleted = new Set<string>();
  private readonly block: ExecutingBlock;
  private readonly gasLimit: bigint;
  private readonly creditFee: boolean;

  constructor(
    private readonly input: RunInput,
    private readonly state: JournaledState,
  ) {
    this.block = executingBlock(input);
    const hasLists = hasExecutionLists(rulesAt(input.network, input.run.number));
    this.gasLimit = hasLists ? sequentialGasLimit(this.block.gasLimit, input.network) : this.block.gasLimit;
    this.creditFee = !hasLists;
  }

  execute(bytes: Uint8Array): void {
    let transaction: Transaction;
    try {
      transaction = Transaction.decode(bytes);
    } catch (error) {
      if (!(error instanceof CambiumError)) throw error;
      this.results.push({ rejected: error.message });
      return;
    }
    try {
      this.accept(transaction, this.run(transaction));
    } catch (error) {
      if (!(error instanceof EvmError)) throw error;
      this.results.push({ transaction, rejected: error.message });
    }
  }

  private run(transaction: Transaction): TransactionOutcome {
    return this.input.evm.execute({
      transaction,
      index: this.receipts.length,
      block: this.block,
      state: this.state,
      gasUsedBefore: this.gasUsed,
      listGasLimit: this.gasLimit,
      deletedInList: this.deleted,
      creditFee: this.creditFee,
    });
  }

  private accept(transaction: Transaction, outcome: TransactionOutcome): void {
    this.gasUsed += BigInt(outcome.gasUsed);
    this.paidFees += outcome.fee;
    for (const address of outcome.deleted) this.deleted.add(address);
    const receipt: Receipt = {
      status: outcome.status,
      gasUsed: outcome.gasUsed,
      cumulativeGas: Number(this.gasUsed),
      logsBloom: bloomOfLogs(outcome.logs),
      logs: outcome.logs,
    };
    this.receipts.push(receipt);
    this.results.push({ transaction, outcome, receipt });
  }
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

/** What the sequential list may use of a block's gas (`spec/02 §6.4`). */
function sequentialGasLimit(blockLimit: bigint, network: NetworkConfig): bigint {
  const minimum = BigInt(network.consensus.minimumSequentialGas);
  if (blockLimit / 3n >= minimum) return blockLimit - 2n * (blockLimit / 3n);
  return blockLimit <= minimum ? blockLimit : blockLimit - 2n * ((blockLimit - minimum) / 2n);
}
