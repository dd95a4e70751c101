import { executingBlock, forkDetectionAncestors, type KnownExecution } from "@cambium/chain";
import { type NetworkConfig, type Rules, rulesAt } from "@cambium/config";
import type { Evm, TimeLimit } from "@cambium/evm";
import { forkDetectionData, proofOfWorkTarget } from "@cambium/merged-mining";
import { EMPTY_BYTES } from "@cambium/primitives";
import {
  type AncestorReader,
  type CommittedState,
  JournaledState,
  type KeyedStateView,
  setUpNativeContracts,
} from "@cambium/state";
import {
  BlockHeader,
  type HeaderFields,
  receiptsRoot,
  rewardTransaction,
  type Transaction,
  transactionsRoot,
} from "@cambium/types";
import { MinerError } from "../errors.js";
import type { BlockTemplate, TransactionFault } from "../interface.js";
import { baseEventAfter } from "./base-event.js";
import { type AssembledBlock, BlockAssembly } from "./block-assembly.js";
import { CandidateScreening } from "./candidate-screening.js";
import { cheapestFirst } from "./cheapest-first.js";

export interface OpenBlockInput {
  /** The header fields known before execution. */
  draft: HeaderFields;
  stateAtParent: KeyedStateView;
  uncles: readonly BlockHeader[];
  /** The branch that ends at the parent. */
  ancestors: AncestorReader;
  network: NetworkConfig;
  evm: Evm;
  /**
   * Milliseconds after which one call executes no further transaction. A time limit also interrupts the running
   * transaction.
   */
  timeBudget: number;
  /** Limit of the time for one transaction in `evm`; by default there is none. */
  timeLimit?: TimeLimit | undefined;
  /** Whether the block is no longer needed, checked before each transaction. */
  isAbandoned: () => boolean;
  onInternalFault: (fault: TransactionFault) => void;
}

/** A block template, and the state after the block. Do not retain the state: it keeps many nodes in memory. */
export interface BuiltBlock {
  template: BlockTemplate;
  state: CommittedState;
  /** See `BlockTemplate`. */
  execution: KnownExecution | undefined;
}

/** A transaction that was executed or refused, and the length of the assembly before it. */
interface Handled {
  transaction: Transaction;
  before: number;
}

/** A block under construction, whose transactions can change until it is no longer needed. */
export class OpenBlock {
  private readonly state: JournaledState;
  private readonly header: BlockHeader;
  private readonly rules: Rules;
  private readonly assembly: BlockAssembly;
  private screening: CandidateScreening;
  private readonly handled: Handled[] = [];

  constructor(private readonly input: OpenBlockInput) {
    const { draft, network, evm, timeLimit, ancestors, onInternalFault } = input;
    this.state = new JournaledState(input.stateAtParent);
    this.rules = rulesAt(network, draft.number);
    setUpNativeContracts(this.state, network, draft.number);
    this.header = BlockHeader.create(draft, network);
    const { header, rules, state } = this;
    this.assembly = new BlockAssembly({ header, rules, network, evm, timeLimit, ancestors, state, onInternalFault });
    this.screening = this.newScreening();
  }

  /** Hashes of transactions that can be in no block. */
  get unusable(): readonly Uint8Array[] {
    return this.screening.unusable;
  }

  /**
   * Fills the block with these transactions. They are compared by reference with those of the last call, and executed
   * from the first difference on. Transactions beyond the time budget are left out until the next call. With a time
   * limit, {@link cheapestFirst} orders the second half of the time, so that a few slow transactions with high prices
   * displace no others. Returns whether the time was sufficient. Throws {@link MinerError} `BUILD_ABANDONED`. After any
   * error, the block must be discarded.
   */
  fill(ordered: readonly Transaction[], timeBudget = this.input.timeBudget): boolean {
    this.revertTo(this.handled.findIndex(({ transaction }, index) => transaction !== ordered[index]));
    const { timeLimit } = this.input;
    const now = () => timeLimit?.now() ?? performance.now();
    const start = now();
    let isByPrice = true;
    let rest = ordered.slice(this.handled.length);
    for (let next = 0; next < rest.length; next++) {
      this.requireWanted();
      const spent = now() - start;
      if (spent > timeBudget) return false;
      if (isByPrice && timeLimit !== undefined && spent > timeBudget / 2) {
        isByPrice = false;
        rest = cheapestFirst(rest.slice(next));
        next = 0;
      }
      // One transaction may use at most half of the time.
      const isHandled = this.handle(rest[next]!, Math.min(timeBudget - spent, timeBudget / 2));
      this.requireWanted();
      if (!isHandled && now() - start >= timeBudget) return false;
    }
    return true;
  }

  private requireWanted(): void {
    if (this.input.isAbandoned()) throw new MinerError({ code: "BUILD_ABANDONED" });
  }

  /** Returns the block with its reward transaction. It can be filled again. */
  build(): BuiltBlock {
    const { state, input, rules } = this;
    const before = state.checkpoint();
    try {
      const block = this.assembly.finish(rewardTransaction(input.draft.number));
      const baseEvent = input.draft.version === 2 ? this.baseEvent() : null;
      const after = state.preview();
      const fields = { ...input.draft, ...resultFields(block, rules), stateRoot: after.root, baseEvent };
      const execution = this.knownExecution(block, fields.receiptsRoot, after);
      return { template: this.template(fields, block), state: after, execution };
    } finally {
      state.revertTo(before);
    }
  }

  /** Adds a transaction if the block can have it. False if there was no time to execute it. */
  private handle(transaction: Transaction, left: number): boolean {
    const { screening, assembly } = this;
    const before = assembly.length;
    const candidate = screening.admit(transaction);
    const refusal = candidate === undefined ? "not-now" : assembly.add(candidate, left);
    if (refusal === "late" || refusal === "abandoned") return false;
    this.handled.push({ transaction, before });
    if (candidate !== undefined && refusal === undefined) screening.include(candidate);
    if (refusal === "never") screening.unusable.push(transaction.hash);
    return true;
  }

  /** Removes the transactions from a position on; -1: none. */
  private revertTo(position: number): void {
    const first = this.handled[position];
    if (first === undefined) return;
    this.handled.length = position;
    this.assembly.truncate(first.before);
    this.screening = this.newScreening();
    for (const candidate of this.assembly.included()) this.screening.include(candidate);
  }

  private newScreening(): CandidateScreening {
    const { header, rules, input } = this;
    const { stateAtParent } = input;
    return new CandidateScreening({ minimumGasPrice: header.minimumGasPriceValue, rules, stateAtParent });
  }

  private baseEvent(): Uint8Array {
    const { ancestors, evm } = this.input;
    return baseEventAfter(this.state, executingBlock(this.header, ancestors), evm);
  }

  private knownExecution(
    block: AssembledBlock,
    receiptsRoot: Uint8Array,
    { state: after, changes }: CommittedState,
  ): KnownExecution | undefined {
    if (!block.isInExecutionOrder) return undefined;
    const { receipts, gasUsed, paidFees, logsBloom } = block;
    const { state: before } = this.input.stateAtParent;
    return { receipts, receiptsRoot, gasUsed, paidFees, logsBloom, changes, before, after };
  }

  private template(fields: HeaderFields, { transactions }: AssembledBlock): BlockTemplate {
    const { network, uncles, ancestors } = this.input;
    const parentNumber = fields.number - 1;
    const data = this.rules.rskip110
      ? forkDetectionData(parentNumber, forkDetectionAncestors(ancestors, parentNumber, network))
      : EMPTY_BYTES;
    const header = BlockHeader.create(fields, network, data.length === 0 ? undefined : data);
    return {
      header,
      transactions,
      uncles,
      hashForMergedMining: header.hashForMergedMining,
      target: proofOfWorkTarget(header.difficultyValue),
    };
  }
}

function resultFields(block: AssembledBlock, rules: Rules) {
  const { transactions, receipts, gasUsed, paidFees, logsBloom, executionEdges } = block;
  return {
    transactionsRoot: transactionsRoot(transactions, rules),
    receiptsRoot: receiptsRoot(receipts, rules),
    logsBloom,
    gasUsed,
    paidFees,
    executionEdges,
  };
}
