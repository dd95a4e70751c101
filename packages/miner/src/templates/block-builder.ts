import { calcDifficulty, createChainEvm, FREE_STEPS } from "@cambium/chain";
import { headerVersionAt, rulesAt } from "@cambium/config";
import type { Evm, TimeLimit } from "@cambium/evm";
import { bigintToTwosComplement, EMPTY_BYTES } from "@cambium/primitives";
import { KeyedStateView } from "@cambium/state";
import { type BlockHeader, type HeaderFields, unclesHash } from "@cambium/types";
import { MinerError } from "../errors.js";
import type {
  BlockTemplate,
  BuildingChain,
  BuildRequest,
  PendingTransactionSource,
  TemplateBuilder,
  TransactionFault,
} from "../interface.js";
import { extraData } from "./extra-data.js";
import { type GasLimitPolicy, nextGasLimit } from "./gas-limit.js";
import { nextMinimumGasPrice } from "./minimum-gas-price.js";
import type { ChosenFields } from "./next-blocks.js";
import { OpenBlock } from "./open-block.js";
import { nextTimestamp } from "./timestamp.js";
import { selectUncles } from "./uncle-selection.js";

/** Access to the parents of new blocks. */
export type BuildParents = Pick<BuildingChain, "stateAfter" | "ancestors">;

export interface BlockBuilderParts {
  chain: BuildingChain;
  /** Returns the state after a block and its ancestors, for the duration of a build; by default those of the chain. */
  parents?: BuildParents | undefined;
  pool: PendingTransactionSource;
  evm?: Evm;
  /** Limit of the time for one transaction of the pool in `evm`; by default there is none. */
  timeLimit?: TimeLimit | undefined;
  /** Whether the template is no longer needed, checked before each transaction. */
  isAbandoned?: () => boolean;
  /** Receives each unexpected error of a transaction's execution; the transaction is evicted. */
  onInternalFault?: (fault: TransactionFault) => void;
  /** Current time in milliseconds. */
  now?: () => number;
}

export interface BlockBuilderOptions {
  /** Reward address, 20 bytes; see `rewardAddress`. */
  rewardAddress: Uint8Array;
  /** Name of the builder in the block's extra data; up to 28 bytes. */
  identity: string;
  /** The operator's addition to the extra data, truncated to the space left. */
  extraData?: Uint8Array;
  /** Undefined: every block has the gas limit of its parent. */
  gasLimit?: GasLimitPolicy | undefined;
  /** Target for the minimum gas price in wei; called for each block. */
  minimumGasPrice?: () => bigint;
  /**
   * Milliseconds after which no further transaction is executed. A time limit also interrupts the running transaction.
   */
  timeBudget?: number;
  /** Whether time advances by adjustments only. */
  fixedClock?: boolean;
}

const DEFAULT_TIME_BUDGET = 400;

/** Builds block templates in the calling thread; import accepts them once solved (`spec/02 §7`, `spec/03 §6.2`). */
export class BlockBuilder implements TemplateBuilder {
  private readonly chain: BuildingChain;
  private readonly parents: BuildParents;
  private readonly pool: PendingTransactionSource;
  private readonly evm: Evm;
  private readonly timeLimit: TimeLimit | undefined;
  private readonly now: () => number;
  private readonly isAbandoned: () => boolean;
  private readonly onInternalFault: (fault: TransactionFault) => void;
  private readonly extraData: Uint8Array;

  constructor(
    parts: BlockBuilderParts,
    private readonly options: BlockBuilderOptions,
  ) {
    this.chain = parts.chain;
    this.parents = parts.parents ?? parts.chain;
    this.pool = parts.pool;
    this.evm = parts.evm ?? createChainEvm(parts.chain.network);
    this.timeLimit = parts.timeLimit;
    this.now = parts.now ?? Date.now;
    this.isAbandoned = parts.isAbandoned ?? (() => false);
    this.onInternalFault = parts.onInternalFault ?? (() => undefined);
    this.extraData = extraData(options.identity, options.extraData);
  }

  get rewardAddress(): Uint8Array {
    return this.options.rewardAddress;
  }

  /**
   * A block on the best block, filled from the pool; transactions that can never be in a block are evicted from the
   * pool. Throws {@link MinerError} `UNKNOWN_PARENT` or `BUILD_ABANDONED`.
   */
  build(request: BuildRequest = {}): BlockTemplate {
    const block = this.open(request);
    block.fill(request.transactions ?? this.pool.ordered());
    if (block.unusable.length > 0) this.pool.evict(block.unusable, "unusable");
    const { template, execution } = block.build();
    return { ...template, execution };
  }

  /** A block without transactions, for the caller to fill. Throws {@link MinerError} `UNKNOWN_PARENT`. */
  open(request: BuildRequest = {}): OpenBlock {
    const parentHash = request.parentHash ?? this.chain.best().hash;
    const parent = this.chain.headerByHash(parentHash);
    const stateAtParent = this.parents.stateAfter(parentHash);
    if (parent === undefined || !(stateAtParent instanceof KeyedStateView)) {
      throw new MinerError({ code: "UNKNOWN_PARENT", hash: parentHash });
    }
    const { network } = this.chain;
    const { evm, isAbandoned, onInternalFault } = this;
    const ancestors = this.parents.ancestors(parentHash);
    const uncles = selectUncles(this.chain, parent, ancestors, this.now() / 1000);
    const draft = this.draft(parent, uncles, request);
    // Requested transactions are executed regardless of their duration.
    const isRequested = request.transactions !== undefined;
    const timeBudget = isRequested ? Number.POSITIVE_INFINITY : (this.options.timeBudget ?? DEFAULT_TIME_BUDGET);
    const timeLimit = isRequested ? undefined : this.timeLimit;
    return new OpenBlock({
      ...{ draft, stateAtParent, uncles, ancestors },
      ...{ network, evm, timeBudget, timeLimit, isAbandoned, onInternalFault },
    });
  }

  /** The header fields known before execution. */
  private draft(
    parent: BlockHeader,
    uncles: readonly BlockHeader[],
    { adjustment = 0, chosen = {} }: BuildRequest,
  ): HeaderFields {
    const { chain, options } = this;
    const number = parent.number + 1;
    const rules = rulesAt(chain.network, number);
    const ofClock = nextTimestamp({
      now: this.now() / 1000,
      parentTimestamp: parent.timestamp,
      adjustment,
      isFixed: options.fixedClock,
    });
    const timestamp = chosen.timestamp ?? ofClock;
    const uncleCount = uncles.length;
    // Every member is listed: V8 copies such an object several times faster than one that begins with
    // `...EMPTY_RESULT`.
    return {
      parentHash: parent.hash,
      unclesHash: unclesHash(uncles),
      coinbase: chosen.coinbase ?? options.rewardAddress,
      stateRoot: EMPTY_HASH,
      transactionsRoot: EMPTY_HASH,
      receiptsRoot: EMPTY_HASH,
      logsBloom: EMPTY_BLOOM,
      difficulty: calcDifficulty({ number, timestamp, uncleCount }, parent, chain.network),
      number,
      gasLimit: bigintToTwosComplement(this.gasLimit(parent, chosen)),
      gasUsed: 0,
      timestamp,
      extraData: chosen.hasFreeSteps ? FREE_STEPS : this.extraData,
      paidFees: 0n,
      minimumGasPrice: this.minimumGasPrice(parent, chosen),
      uncleCount,
      ummRoot: rules.rskipUmm ? EMPTY_BYTES : null,
      version: headerVersionAt(rules),
      executionEdges: null,
      baseEvent: null,
      parentChainHeader: null,
      merkleProof: null,
      parentChainCoinbase: null,
    };
  }

  private gasLimit(parent: BlockHeader, { gasLimitTarget, hasFreeSteps }: ChosenFields): bigint {
    if (hasFreeSteps && gasLimitTarget !== undefined) return gasLimitTarget;
    const policy = gasLimitTarget === undefined ? this.options.gasLimit : { target: gasLimitTarget, force: true };
    return nextGasLimit(parent.gasLimitValue, BigInt(parent.gasUsed), policy);
  }

  private minimumGasPrice(parent: BlockHeader, { minimumGasPriceTarget, hasFreeSteps }: ChosenFields): bigint {
    if (hasFreeSteps && minimumGasPriceTarget !== undefined) return minimumGasPriceTarget;
    const target = minimumGasPriceTarget ?? this.options.minimumGasPrice?.() ?? 0n;
    return nextMinimumGasPrice(parent.minimumGasPriceValue, target);
  }
}

/** Placeholders for header fields that execution fills in. */
const EMPTY_HASH = new Uint8Array(32);
const EMPTY_BLOOM = new Uint8Array(256);
