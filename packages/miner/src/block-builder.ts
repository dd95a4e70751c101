import { calcDifficulty, createChainEvm, executingBlock } from "@cambium/chain";
import { headerVersionAt, type Rules, rulesAt } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import { forkDetectionData, proofOfWorkTarget } from "@cambium/merged-mining";
import { bigintToTwosComplement, EMPTY_BYTES } from "@cambium/primitives";
import {
  type AncestorReader,
  type CommittedState,
  JournaledState,
  type StateReader,
  setUpNativeContracts,
  TrieStateView,
} from "@cambium/state";
import {
  BlockHeader,
  type HeaderFields,
  receiptsRoot,
  rewardTransaction,
  transactionsRoot,
  unclesHash,
} from "@cambium/types";
import { baseEventAfter } from "./base-event.js";
import { type AssembledBlock, BlockAssembly } from "./block-assembly.js";
import { CandidateScreening } from "./candidate-screening.js";
import { MinerError } from "./errors.js";
import { extraData } from "./extra-data.js";
import { type GasLimitPolicy, nextGasLimit } from "./gas-limit.js";
import type {
  BlockTemplate,
  BuildingChain,
  BuildRequest,
  PendingTransactionSource,
  TemplateBuilder,
  TransactionFault,
} from "./interface.js";
import { nextMinimumGasPrice } from "./minimum-gas-price.js";
import { nextTimestamp } from "./timestamp.js";
import { selectUncles } from "./uncle-selection.js";

export interface BlockBuilderModules {
  chain: BuildingChain;
  pool: PendingTransactionSource;
  evm?: Evm;
  /** Checked before each transaction: whether the template is no longer wanted. */
  isAbandoned?: () => boolean;
  /** Receives each unexpected error of a transaction's execution; the transaction is evicted. */
  onInternalFault?: (fault: TransactionFault) => void;
  /** Current time in milliseconds. */
  now?: () => number;
}

export interface BlockBuilderOptions {
  /** 20 bytes; see `rewardAddress`. */
  rewardAddress: Uint8Array;
  /** Name of the builder in the block's extra data; up to 28 bytes. */
  identity: string;
  /** The operator's addition to the extra data, truncated to the space left. */
  extraData?: Uint8Array;
  gasLimit?: GasLimitPolicy;
  /** Target for the minimum gas price in wei; called for each block. */
  minimumGasPrice?: () => bigint;
  /** Milliseconds after which no further transaction is executed. */
  timeBudget?: number;
  /** Whether time advances by adjustments only. */
  fixedClock?: boolean;
}

/** A block template, and the state after the block. Do not retain the state: it keeps many nodes in memory. */
export interface BuiltBlock {
  template: BlockTemplate;
  state: CommittedState;
}

/** `spec/02 §1.1`. */
const DEFAULT_GAS_LIMIT: GasLimitPolicy = { target: 6_800_000n, force: true };
const DEFAULT_TIME_BUDGET = 400;

/** Builds block templates in the calling thread; import accepts them once solved (`spec/02 §7`, `spec/03 §6.2`). */
export class BlockBuilder implements TemplateBuilder {
  private readonly chain: BuildingChain;
  private readonly pool: PendingTransactionSource;
  private readonly evm: Evm;
  private readonly now: () => number;
  private readonly isAbandoned: () => boolean;
  private readonly onInternalFault: (fault: TransactionFault) => void;
  private readonly extraData: Uint8Array;

  constructor(
    modules: BlockBuilderModules,
    private readonly options: BlockBuilderOptions,
  ) {
    this.chain = modules.chain;
    this.pool = modules.pool;
    this.evm = modules.evm ?? createChainEvm(modules.chain.network);
    this.now = modules.now ?? Date.now;
    this.isAbandoned = modules.isAbandoned ?? (() => false);
    this.onInternalFault = modules.onInternalFault ?? (() => undefined);
    this.extraData = extraData(options.identity, options.extraData);
  }

  get rewardAddress(): Uint8Array {
    return this.options.rewardAddress;
  }

  /**
   * A block on the best block, filled from the pool; transactions that can never be in a block are evicted from the pool.
   * Throws {@link MinerError} `UNKNOWN_PARENT` or `BUILD_ABANDONED`.
   */
  build(request: BuildRequest = {}): BlockTemplate {
    return this.buildWithState(request).template;
  }

  /** Like {@link build}, with the state after the block. */
  buildWithState(request: BuildRequest = {}): BuiltBlock {
    const parentHash = request.parentHash ?? this.chain.best().hash;
    const parent = this.chain.headerByHash(parentHash);
    const view = this.chain.stateAfter(parentHash);
    if (parent === undefined || !(view instanceof TrieStateView)) {
      throw new MinerError({ code: "UNKNOWN_PARENT", hash: parentHash });
    }
    const branch = this.chain.ancestors(parentHash);
    const uncles = selectUncles(this.chain, parent, branch, this.now() / 1000);
    const draft = this.draft(parent, uncles, request.adjustment ?? 0);
    const state = new JournaledState(view);
    const block = this.fill(draft, state, view, branch);
    const rules = rulesAt(this.chain.network, draft.number);
    const baseEvent = draft.version === 2 ? this.baseEvent(draft, state, branch) : null;
    const committed = state.commit();
    const fields = { ...draft, ...resultFields(block, rules), stateRoot: committed.root, baseEvent };
    return { template: this.template(fields, block, uncles, branch), state: committed };
  }

  /** The header fields known before execution. */
  private draft(parent: BlockHeader, uncles: readonly BlockHeader[], adjustment: number): HeaderFields {
    const { chain, options } = this;
    const number = parent.number + 1;
    const rules = rulesAt(chain.network, number);
    const timestamp = nextTimestamp({
      now: this.now() / 1000,
      parentTimestamp: parent.timestamp,
      adjustment,
      isFixed: options.fixedClock,
    });
    const uncleCount = uncles.length;
    const gasLimit = nextGasLimit(parent.gasLimitValue, BigInt(parent.gasUsed), options.gasLimit ?? DEFAULT_GAS_LIMIT);
    return {
      ...EMPTY_RESULT,
      parentHash: parent.hash,
      unclesHash: unclesHash(uncles),
      coinbase: options.rewardAddress,
      difficulty: calcDifficulty({ number, timestamp, uncleCount }, parent, chain.network),
      number,
      gasLimit: bigintToTwosComplement(gasLimit),
      timestamp,
      extraData: this.extraData,
      minimumGasPrice: nextMinimumGasPrice(parent.minimumGasPriceValue, options.minimumGasPrice?.() ?? 0n),
      uncleCount,
      ummRoot: rules.rskipUmm ? EMPTY_BYTES : null,
      version: headerVersionAt(rules),
    };
  }

  private fill(draft: HeaderFields, state: JournaledState, stateAtParent: StateReader, ancestors: AncestorReader) {
    const { network } = this.chain;
    const header = BlockHeader.create(draft, network);
    const rules = rulesAt(network, draft.number);
    setUpNativeContracts(state, network, draft.number);
    const assembly = new BlockAssembly({
      header,
      rules,
      network,
      evm: this.evm,
      ancestors,
      state,
      onInternalFault: this.onInternalFault,
    });
    const minimumGasPrice = header.minimumGasPriceValue;
    const screening = new CandidateScreening({ minimumGasPrice, rules, stateAtParent });
    this.addTransactions(assembly, screening);
    return assembly.finish(rewardTransaction(draft.number));
  }

  private addTransactions(assembly: BlockAssembly, screening: CandidateScreening): void {
    const deadline = performance.now() + (this.options.timeBudget ?? DEFAULT_TIME_BUDGET);
    for (const transaction of this.pool.ordered()) {
      if (this.isAbandoned()) throw new MinerError({ code: "BUILD_ABANDONED" });
      if (performance.now() > deadline) break;
      const candidate = screening.admit(transaction);
      if (candidate === undefined) continue;
      const refusal = assembly.add(candidate);
      if (refusal === undefined) screening.include(candidate);
      if (refusal === "never") screening.unusable.push(transaction.hash);
    }
    if (screening.unusable.length > 0) this.pool.evict(screening.unusable, "cannot be in a block");
  }

  private baseEvent(draft: HeaderFields, state: JournaledState, ancestors: AncestorReader): Uint8Array {
    const header = BlockHeader.create(draft, this.chain.network);
    return baseEventAfter(state, executingBlock(header, ancestors), this.evm);
  }

  private template(
    fields: HeaderFields,
    { transactions }: AssembledBlock,
    uncles: readonly BlockHeader[],
    branch: AncestorReader,
  ): BlockTemplate {
    const { network } = this.chain;
    const parentNumber = fields.number - 1;
    const data = rulesAt(network, fields.number).rskip110
      ? forkDetectionData(parentNumber, (distance) => branch.header(parentNumber - distance))
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

/** Placeholders for the header fields that execution fills in. */
const EMPTY_RESULT = {
  stateRoot: new Uint8Array(32),
  transactionsRoot: new Uint8Array(32),
  receiptsRoot: new Uint8Array(32),
  logsBloom: new Uint8Array(256),
  gasUsed: 0,
  paidFees: 0n,
  executionEdges: null,
  baseEvent: null,
  parentChainHeader: null,
  merkleProof: null,
  parentChainCoinbase: null,
} satisfies Partial<HeaderFields>;

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
