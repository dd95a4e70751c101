import { hasExecutionLists, type NetworkConfig, REWARD_ADDRESS, type Rules, rulesAt } from "@cambium/config";
import { type Evm, type Tracer, type TransactionOutcome, TransactionRejected } from "@cambium/evm";
import { bytesToBigint, fromHex, toHex } from "@cambium/primitives";
import {
  type AncestorReader,
  type ExecutingBlock,
  type KeyTracker,
  setUpNativeContracts,
  type WorldState,
} from "@cambium/state";
import {
  type Block,
  type BlockHeader,
  bloomOfLogs,
  gasValue,
  type Receipt,
  TypesError,
  uniteBlooms,
} from "@cambium/types";
import { BlockError } from "../faults.js";
import { type ExecutionList, executionLists, listGasLimits } from "./execution-lists.js";

/** Input of the execution of a block. */
export interface BlockExecutionInput {
  block: Block;
  /** Working state on top of the parent's; afterwards it holds the block's state, uncommitted. */
  state: WorldState;
  evm: Evm;
  network: NetworkConfig;
  /** The branch that ends with the block's parent. */
  ancestors: AncestorReader;
  /** Tracer for the transaction at an index; undefined if it is not traced. */
  tracerOf?: (index: number) => Tracer | undefined;
}

/** Results of the execution of a block that its header contains, and the receipts. */
export interface ExecutionResults {
  /** Receipts in transaction order. */
  receipts: readonly Receipt[];
  /** Root of the receipts, if it was computed already. */
  receiptsRoot?: Uint8Array;
  gasUsed: number;
  paidFees: bigint;
  logsBloom: Uint8Array;
}

/** Result of the execution of a block. It covers all transactions: if one cannot be executed, the block fails. */
export interface BlockExecution extends ExecutionResults {
  outcomes: readonly TransactionOutcome[];
}

/**
 * Executes a block on the state after its parent: creates the native contracts that activate with it, then runs its
 * transactions in their lists (`spec/02 §6`). Compares nothing with the header. Throws {@link BlockError} if the block
 * cannot be executed; the state must then be discarded.
 */
export function executeBlock(input: BlockExecutionInput): BlockExecution {
  setUpNativeContracts(input.state, input.network, input.block.header.number);
  return new BlockRun(input).execute();
}

/** The block context that transactions see. */
export function executingBlock(header: BlockHeader, ancestors: AncestorReader): ExecutingBlock {
  return {
    number: header.number,
    timestamp: header.timestamp,
    parentHash: header.parentHash,
    coinbase: header.coinbase,
    difficulty: header.difficulty ?? 0n,
    gasLimit: bytesToBigint(header.gasLimit),
    hasLongGasLimit: header.gasLimit.length > 32,
    minimumGasPrice: header.minimumGasPrice ?? 0n,
    ancestors,
  };
}

/** A single execution of a block. */
class BlockRun {
  private readonly rules: Rules;
  private readonly context: ExecutingBlock;
  private readonly sequentialOnly: ReadonlySet<string>;
  private readonly receipts: Receipt[] = [];
  private readonly outcomes: TransactionOutcome[] = [];
  private gasUsed = 0;
  private paidFees = 0n;

  constructor(private readonly input: BlockExecutionInput) {
    const { block, network, ancestors } = input;
    this.rules = rulesAt(network, block.header.number);
    this.context = executingBlock(block.header, ancestors);
    this.sequentialOnly = new Set(network.sequentialOnlyContracts.map(toHex));
  }

  execute(): BlockExecution {
    if (hasExecutionLists(this.rules)) this.runLists();
    else this.runInOneList();
    return { ...this.results(), outcomes: this.outcomes };
  }

  private results(): ExecutionResults {
    const { receipts, gasUsed, paidFees } = this;
    const logsBloom = uniteBlooms(receipts.map((receipt) => receipt.logsBloom));
    return { receipts, gasUsed, paidFees, logsBloom };
  }

  /** `spec/02 §6.3`: the fee of each transaction is credited to the reward contract right after it. */
  private runInOneList(): void {
    const { block } = this.input;
    const gasLimit = containerGas(block.header);
    this.runList({ kind: "sequential", start: 0, end: block.transactions.length, gasLimit }, new Set(), true);
  }

  /**
   * Runs the parallel lists, then the sequential one, all on one state (`spec/02 §6.4`). The network defines each
   * parallel list to run on its own layer over the parent's state.
   *
   * Running them one after the other on one state gives the same result. It can differ only if the second list reads a
   * key that the first one wrote. (A self-destructed account is represented by its account key, which every access to
   * its code and cells reads first.) That read puts the key into the sets of both lists, under either execution order.
   * A key in both sets makes the block invalid regardless of later reads and writes. If there is no such key, the
   * writes of the lists are disjoint, and so are their layers.
   */
  private runLists(): void {
    const lists = this.lists();
    const deletedInParallel = new Set<string>();
    const trackers: KeyTracker[] = [];
    for (const list of lists) {
      if (list.kind === "sequential") {
        if (anyCollide(trackers)) throw new BlockError({ code: "EXECUTION_COLLISION" });
        this.runList(list, deletedInParallel, false);
      } else {
        // A single parallel list cannot collide (`spec/02 §10`, Q10).
        const { deleted, keys } = this.runParallelList(list, lists.length > 2);
        trackers.push(keys);
        for (const address of deleted) deletedInParallel.add(address);
      }
    }
  }

  private lists(): ExecutionList[] {
    const { block, network } = this.input;
    const limits = listGasLimits(containerGas(block.header), BigInt(network.consensus.minimumSequentialGas));
    return executionLists(block.header.executionEdges ?? [], block.transactions.length, limits);
  }

  private runParallelList(list: ExecutionList, isTracked: boolean): { deleted: Set<string>; keys: KeyTracker } {
    const { state } = this.input;
    const keys: KeyTracker = { reads: new Set(), writes: new Set() };
    const deleted = new Set<string>();
    if (isTracked) state.trackKeys(keys);
    this.runList(list, deleted, false);
    state.trackKeys(undefined);
    return { deleted, keys };
  }

  /** Runs a list and adds the accounts that its transactions delete to `deleted`. */
  private runList(list: ExecutionList, deleted: Set<string>, creditEach: boolean): void {
    const { block, state } = this.input;
    let listGas = 0;
    // The sequential list credits the fees of all lists at its end (`spec/02 §6.4`, step 6).
    let fees = list.kind === "sequential" ? this.paidFees : 0n;
    const credit = () => {
      if (!creditEach && fees > 0n) state.addBalance(REWARD_ADDRESS, fees);
    };
    for (let index = list.start; index < list.end; index++) {
      const { isReward } = block.transactions[index]!;
      if (isReward) credit();
      const outcome = this.runTransaction(index, list, listGas, deleted, creditEach);
      if (list.kind === "parallel") this.refuseSequentialOnly(index, outcome);
      listGas += outcome.gasUsed;
      fees += outcome.fee;
      // The last transaction is always the reward transaction, except under reduced validation.
      if (!isReward && index === block.transactions.length - 1) credit();
      for (const address of outcome.deleted) deleted.add(address);
      this.record(outcome, listGas);
    }
  }

  private runTransaction(
    index: number,
    list: ExecutionList,
    listGas: number,
    deletedInList: ReadonlySet<string>,
    creditFee: boolean,
  ): TransactionOutcome {
    const { block, state, evm, tracerOf } = this.input;
    try {
      return evm.execute({
        transaction: block.transactions[index]!,
        index,
        block: this.context,
        state,
        gasUsedBefore: BigInt(listGas),
        listGasLimit: list.gasLimit,
        deletedInList,
        creditFee,
        tracer: tracerOf?.(index),
      });
    } catch (error) {
      if (error instanceof TransactionRejected) {
        throw new BlockError({ code: "EXECUTION", index, reason: error.code }, { cause: error });
      }
      throw error;
    }
  }

  /** Applies whether the call succeeded or was reverted (`spec/02 §6.4`, step 3). */
  private refuseSequentialOnly(index: number, outcome: TransactionOutcome): void {
    for (const address of outcome.calledContracts) {
      if (!this.sequentialOnly.has(address)) continue;
      throw new BlockError({ code: "EXECUTION_SEQUENTIAL_ONLY", index, contract: fromHex(address) });
    }
  }

  private record(outcome: TransactionOutcome, cumulativeGas: number): void {
    const { status, gasUsed, logs } = outcome;
    this.receipts.push({ status, gasUsed, cumulativeGas, logsBloom: bloomOfLogs(logs), logs });
    this.outcomes.push(outcome);
    this.gasUsed += gasUsed;
    this.paidFees += outcome.fee;
  }
}

/** The block gas limit that execution sees, which can differ from the header's numeric value (`spec/02 §10`, Q6). */
function containerGas(header: BlockHeader): bigint {
  try {
    return gasValue(header.gasLimit);
  } catch (error) {
    if (!(error instanceof TypesError)) throw error;
    throw new BlockError({ code: "GAS_LIMIT_RANGE", actual: bytesToBigint(header.gasLimit) }, { cause: error });
  }
}

function anyCollide(trackers: readonly KeyTracker[]): boolean {
  return trackers.some((a, i) => trackers.slice(i + 1).some((b) => collide(a, b)));
}

/** Whether one list wrote a key that the other list read or wrote (`spec/02 §6.4`, step 4). */
function collide(a: KeyTracker, b: KeyTracker): boolean {
  return meet(a.writes, b.writes) || meet(a.writes, b.reads) || meet(a.reads, b.writes);
}

function meet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [smaller, larger] = a.size < b.size ? [a, b] : [b, a];
  for (const key of smaller) if (larger.has(key)) return true;
  return false;
}
