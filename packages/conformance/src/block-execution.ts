import { hasExecutionLists, type NetworkConfig, REWARD_ADDRESS, type Rules, rulesAt } from "@cambium/config";
import { type Evm, EvmError, type TransactionOutcome } from "@cambium/evm";
import { CambiumError, toHex } from "@cambium/primitives";
import { type ExecutingBlock, type JournaledState, setUpNativeContracts } from "@cambium/state";
import { bloomOfLogs, type Receipt, receiptsRoot, recoverSender, Transaction } from "@cambium/types";

/** A block whose transactions are all in the sequential list, without the reward transaction. */
export interface TransactionsInput {
  network: NetworkConfig;
  evm: Evm;
  block: ExecutingBlock;
  /** State before the block; after execution, the state after it. */
  state: JournaledState;
  transactions: readonly Uint8Array[];
  /** Accounts that replace recovered senders, by the sender's hex address. */
  aliases?: ReadonlyMap<string, Uint8Array>;
}

/** Result of one transaction, or why it was rejected. */
export type ActualResult =
  | { transaction: Transaction; outcome: TransactionOutcome; receipt: Receipt }
  | { transaction?: Transaction; rejected: string };

export interface ExecutedBlock {
  results: ActualResult[];
  gasUsed: bigint;
  paidFees: bigint;
  receiptsRoot: Uint8Array;
}

/** Executes a block, skipping rejected transactions (`test/vectors/state-tests/README.md`). */
export function executeTransactions(input: TransactionsInput): ExecutedBlock {
  const { network, block, state } = input;
  const rules = rulesAt(network, block.number);
  setUpNativeContracts(state, network, block.number);
  const list = new ListExecution(input, rules);
  for (const bytes of input.transactions) list.execute(bytes);
  if (hasExecutionLists(rules) && list.paidFees > 0n) state.addBalance(REWARD_ADDRESS, list.paidFees);
  const { results, gasUsed, paidFees } = list;
  return { results, gasUsed, paidFees, receiptsRoot: receiptsRoot(list.receipts, rules) };
}

class ListExecution {
  readonly results: ActualResult[] = [];
  readonly receipts: Receipt[] = [];
  gasUsed = 0n;
  paidFees = 0n;
  private readonly deleted = new Set<string>();
  private readonly gasLimit: bigint;
  private readonly creditFee: boolean;

  constructor(
    private readonly input: TransactionsInput,
    rules: Rules,
  ) {
    const hasLists = hasExecutionLists(rules);
    const { gasLimit } = input.block;
    this.gasLimit = hasLists ? sequentialGasLimit(gasLimit, input.network) : gasLimit;
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
    if (this.input.aliases !== undefined) setAliasedSender(transaction, this.input.aliases);
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
      block: this.input.block,
      state: this.input.state,
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

function setAliasedSender(transaction: Transaction, aliases: ReadonlyMap<string, Uint8Array>): void {
  const input = transaction.recoveryInput();
  if (input === undefined) return;
  const recovered = recoverSender(input);
  transaction.setSender(aliases.get(toHex(recovered)) ?? recovered);
}

/** Gas limit of a block's sequential list (`spec/02 §6.4`). */
function sequentialGasLimit(blockLimit: bigint, network: NetworkConfig): bigint {
  const minimum = BigInt(network.consensus.minimumSequentialGas);
  if (blockLimit / 3n >= minimum) return blockLimit - 2n * (blockLimit / 3n);
  return blockLimit <= minimum ? blockLimit : blockLimit - 2n * ((blockLimit - minimum) / 2n);
}
