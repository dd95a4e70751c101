import type { StoredChainReader } from "@cambium/chain";
import { type Evm, EvmError, type TransactionOutcome } from "@cambium/evm";
import { toData } from "@cambium/primitives";
import type { JournaledState } from "@cambium/state";
import type { Block, Transaction } from "@cambium/types";

/** Transactions with another status that a report names; it counts all. */
const MAX_NAMED = 1000;

/** How the transactions to one account fare. */
export interface RecipientChange {
  /** The called account; undefined for creations. */
  to: string | undefined;
  transactions: number;
  gasHere: number;
  gasThere: number;
  /** Transactions that succeed here and not there. */
  failures: number;
}

export interface StatusChange {
  hash: string;
  block: number;
  to: string | undefined;
  gasLimit: string;
  here: "success" | "failure";
  there: "success" | "failure";
  gasHere: number;
  gasThere: number;
  reason?: string;
}

/** Effect of other rules on the transactions of some blocks. */
export interface RangeReport {
  blocks: number;
  transactions: number;
  gasHere: number;
  gasThere: number;
  /** Transactions that use another amount of gas. */
  differentGas: number;
  differentStatus: number;
  /** First transactions with a different status. */
  statusChanges: StatusChange[];
  /** Recipients by the additional gas that they use, the largest difference first. */
  recipients: RecipientChange[];
}

/**
 * Executes the transactions of blocks as recorded. Each also runs under the rules of another machine, on the state
 * after the recorded ones before it.
 */
export class RangeComparison {
  private blocks = 0;
  private differentStatus = 0;
  private differentGas = 0;
  private readonly statusChanges: StatusChange[] = [];
  private readonly recipients = new Map<string | undefined, RecipientChange>();

  constructor(
    private readonly chain: StoredChainReader,
    private readonly evm: Evm,
  ) {}

  add(block: Block): void {
    const context = this.chain.openSimulation(block.hash).block;
    const there: (TransactionOutcome | EvmError | undefined)[] = [];
    const { outcomes } = this.chain.replay(block, (index, state) => {
      const transaction = block.transactions[index]!;
      if (transaction.isReward) return undefined;
      // The second execution must not count as accesses of the block's execution list.
      state.trackKeys(undefined);
      there[index] = this.execute(transaction, index, context, state);
      return undefined;
    });
    this.blocks++;
    block.transactions.forEach((transaction, index) => {
      const other = there[index];
      if (other !== undefined) this.count(block, transaction, outcomes[index]!, other);
    });
  }

  report(): RangeReport {
    const recipients = [...this.recipients.values()];
    const sum = (field: "transactions" | "gasHere" | "gasThere") =>
      recipients.reduce((total, one) => total + one[field], 0);
    const more = ({ gasHere, gasThere }: RecipientChange): number => gasThere - gasHere;
    return {
      blocks: this.blocks,
      transactions: sum("transactions"),
      gasHere: sum("gasHere"),
      gasThere: sum("gasThere"),
      differentGas: this.differentGas,
      differentStatus: this.differentStatus,
      statusChanges: this.statusChanges,
      recipients: recipients.sort((a, b) => more(b) - more(a)),
    };
  }

  /** The outcome, or why no block can contain the transaction; the state is as before. */
  private execute(
    transaction: Transaction,
    index: number,
    block: Parameters<Evm["execute"]>[0]["block"],
    state: JournaledState,
  ): TransactionOutcome | EvmError {
    const start = state.checkpoint();
    try {
      return this.evm.execute({
        transaction,
        index,
        block,
        state,
        gasUsedBefore: 0n,
        listGasLimit: block.gasLimit,
        deletedInList: new Set(),
        creditFee: false,
      });
    } catch (error) {
      if (!(error instanceof EvmError)) throw error;
      return error;
    } finally {
      state.revertTo(start);
    }
  }

  private count(
    { header }: Block,
    { hash, to, isCreation, gasLimit }: Transaction,
    here: TransactionOutcome,
    other: TransactionOutcome | EvmError,
  ): void {
    const isRefused = other instanceof EvmError;
    const recipient = isCreation ? undefined : toData(to);
    const gasHere = here.gasUsed;
    const gasThere = isRefused ? 0 : other.gasUsed;
    const change = this.changeOf(recipient);
    change.transactions++;
    change.gasHere += gasHere;
    change.gasThere += gasThere;
    if (gasHere !== gasThere) this.differentGas++;
    const status = isRefused ? 0 : other.status;
    if (status === here.status) return;
    if (here.status === 1) change.failures++;
    this.differentStatus++;
    if (this.statusChanges.length >= MAX_NAMED) return;
    const reason = isRefused ? other.message : other.exception?.message;
    this.statusChanges.push({
      hash: toData(hash),
      block: header.number,
      to: recipient,
      gasLimit: String(gasLimit),
      here: nameOf(here.status),
      there: nameOf(status),
      gasHere,
      gasThere,
      ...(reason === undefined ? {} : { reason }),
    });
  }

  private changeOf(to: string | undefined): RecipientChange {
    let change = this.recipients.get(to);
    if (change === undefined) {
      change = { to, transactions: 0, gasHere: 0, gasThere: 0, failures: 0 };
      this.recipients.set(to, change);
    }
    return change;
  }
}

function nameOf(status: 0 | 1): "success" | "failure" {
  return status === 1 ? "success" : "failure";
}
