import { createChainEvm, type StoredChainReader } from "@cambium/chain";
import { type Evm, TimeLimit } from "@cambium/evm";
import {
  BlockBuilder,
  type BlockTemplate,
  isSameRequest,
  type NextBlockRequest,
  type OpenBlock,
  type TransactionFault,
} from "@cambium/miner";
import { equalBytes } from "@cambium/primitives";
import { packChanges, type StateReader } from "@cambium/state";
import { bestStateOf, DEFAULT_POOL_OPTIONS, PendingState, TxPoolError } from "@cambium/txpool";
import type { HeaderFields, Transaction } from "@cambium/types";
import { NodeError } from "../errors.js";
import {
  type BuildCall,
  type BuildingMethods,
  type BuildingOptions,
  type BuiltPendingBlock,
  type BuiltTemplate,
  type PendingBlockWork,
  type PendingWork,
  type StorageCell,
  UNNUMBERED,
} from "./building-messages.js";
import { BuildingSignals } from "./building-signals.js";
import { PoolMirror, type PoolUpdate } from "./pool-mirror.js";

/**
 * Maximum size of a pending block's changes to its parent's state, in bytes: the gas of a block suffices for some
 * thousand cells.
 */
const MAX_CHANGES = 32 * 2 ** 20;
/** Milliseconds for which a pending block keeps its timestamp, so that only new transactions are executed. */
const MAX_AGE = 10_000;

interface OpenPendingBlock extends Pick<PendingBlockWork, "parentHash" | "next"> {
  /** Time of opening in milliseconds. */
  opened: number;
  block: OpenBlock;
}

/** Pauses of a service that shares its thread with other work. */
export interface BuildingTurns {
  /** Milliseconds of work between two pauses. */
  length: number;
  /** Resolves after other work has run. */
  pause(): Promise<unknown>;
}

export interface BuildingServiceParts {
  options: BuildingOptions;
  /** Memory shared with another thread; by default it is not shared. */
  signals?: BuildingSignals;
  /** Receives the number of each transaction that exceeds the time limit. */
  onSlow?: (transaction: number) => void;
  /** Pauses; by default there are none. */
  turns?: BuildingTurns;
  /** Returns the current time in milliseconds. */
  now?: () => number;
}

/** Builds blocks and executes pending transactions, with a reader of the chain and a mirror of the pool. */
export class BuildingService implements BuildingMethods {
  private readonly mirror: PoolMirror;
  private readonly evm: Evm;
  private readonly timeLimit: TimeLimit | undefined;
  private readonly builder: BlockBuilder;
  private ordered: readonly Transaction[] = [];
  private unusable: readonly Uint8Array[] = [];
  private faults: TransactionFault[] = [];
  private building = UNNUMBERED;
  private openBlock: OpenPendingBlock | undefined;
  private pending: { parentHash: Uint8Array; state: PendingState } | undefined;
  private executed: StateReader | undefined;
  private readonly timeBudget: number;
  private readonly turns: BuildingTurns | undefined;
  private readonly now: () => number;
  private minimumGasPrice: bigint;

  constructor(
    private readonly chain: StoredChainReader,
    parts: BuildingServiceParts,
  ) {
    const { signals = new BuildingSignals(), onSlow, turns, now = () => performance.now() } = parts;
    const { minimumGasPrice, transactionTime, ...options } = parts.options;
    this.turns = turns;
    this.now = now;
    this.mirror = new PoolMirror(chain.network);
    const isAbandoned = () => signals.isAbandoned(this.building);
    const number = (transaction?: Transaction) => (transaction === undefined ? 0 : this.mirror.numberOf(transaction));
    this.timeLimit =
      transactionTime === undefined
        ? undefined
        : new TimeLimit({
            limit: transactionTime,
            isAbandoned,
            onExecution: (transaction) => signals.execute(number(transaction)),
            onSlow: (transaction) => onSlow?.(number(transaction)),
          });
    const { timeLimit } = this;
    this.evm = createChainEvm(chain.network, { isInterrupted: timeLimit?.isInterrupted });
    const pool = {
      ordered: () => this.ordered,
      evict: (hashes: readonly Uint8Array[]) => {
        this.unusable = hashes;
      },
    };
    this.minimumGasPrice = minimumGasPrice;
    this.timeBudget = options.timeBudget ?? Number.POSITIVE_INFINITY;
    const onInternalFault = (fault: TransactionFault) => this.faults.push(fault);
    this.builder = new BlockBuilder(
      { chain, pool, evm: this.evm, timeLimit, isAbandoned, onInternalFault },
      { ...options, minimumGasPrice: () => this.minimumGasPrice },
    );
  }

  setMinimumGasPrice(price: bigint): void {
    this.minimumGasPrice = price;
    this.openBlock = undefined;
  }

  build({ number, parentHash, adjustment, chosen, pool, isLimited }: BuildCall): BuiltTemplate {
    this.start(number, pool);
    const requested = isLimited ? {} : { transactions: this.ordered };
    return this.describe(this.builder.build({ parentHash, adjustment, chosen, ...requested }));
  }

  async pendingBlock({ parentHash, next, pool }: PendingBlockWork): Promise<BuiltPendingBlock> {
    this.start(UNNUMBERED, pool);
    const open = this.openBlockOn(parentHash, next);
    // An error may leave the block half filled.
    this.openBlock = undefined;
    await this.inTurns((time) => open.block.fill(this.ordered, time));
    const { template, state } = open.block.build();
    this.openBlock = open;
    return { ...this.describe(template), stateChanges: packChanges(state.changes, MAX_CHANGES) };
  }

  /** Returns the last pending block if it has this parent, the same choices and a recent timestamp. */
  private openBlockOn(parentHash: Uint8Array, next: NextBlockRequest): OpenPendingBlock {
    const last = this.openBlock;
    const now = this.now();
    const isLast = last !== undefined && equalBytes(last.parentHash, parentHash) && isSameRequest(last.next, next);
    if (isLast && now < last.opened + MAX_AGE) return last;
    return { parentHash, next, opened: now, block: this.builder.open({ parentHash, ...next }) };
  }

  private start(number: number, pool: PoolUpdate | undefined): void {
    this.ordered = pool === undefined ? [] : this.mirror.apply(pool);
    this.unusable = [];
    this.faults = [];
    this.building = number;
  }

  private describe({ header, transactions, uncles }: BlockTemplate): BuiltTemplate {
    const positions = new Map(this.ordered.map((transaction, position) => [transaction, position]));
    return {
      fields: inOwnMemory(header.fields()),
      forkDetectionData: header.options.forkDetectionData?.slice(),
      transactions: Uint32Array.from(transactions.slice(0, -1), (transaction) => positions.get(transaction)!),
      uncles: uncles.map((uncle) => uncle.encode("full")),
      unusable: this.unusable,
      faults: this.faults,
    };
  }

  async execute({ parentHash, pool }: PendingWork): Promise<void> {
    this.start(UNNUMBERED, pool);
    if (this.pending === undefined || !equalBytes(this.pending.parentHash, parentHash)) {
      this.pending = { parentHash, state: this.pendingStateOn(parentHash) };
    }
    const { state } = this.pending;
    await this.inTurns((time) => state.execute(this.ordered, time));
    this.executed = state.current;
  }

  /** Repeats a step until it returns true or the time budget is used up. Pauses do not count. */
  private async inTurns(step: (time: number) => boolean): Promise<void> {
    const { turns } = this;
    let left = this.timeBudget;
    for (;;) {
      const start = performance.now();
      const isDone = step(Math.min(left, turns?.length ?? left));
      left -= performance.now() - start;
      if (isDone || left <= 0 || turns === undefined) return;
      await turns.pause();
    }
  }

  private pendingStateOn(parentHash: Uint8Array): PendingState {
    const { chain, evm, timeLimit } = this;
    const header = chain.headerByHash(parentHash);
    if (header === undefined) throw new TxPoolError({ code: "STATE_MISSING", blockHash: parentHash });
    const maxBlocks = DEFAULT_POOL_OPTIONS.pendingStateBlocks;
    return new PendingState({ chain, evm, best: bestStateOf(chain, header), maxBlocks, timeLimit });
  }

  balance(address: Uint8Array): bigint {
    return this.latestState().getBalance(address);
  }

  code(address: Uint8Array): Uint8Array {
    return this.latestState().getCode(address).slice();
  }

  storage({ address, key }: StorageCell): Uint8Array | undefined {
    return this.latestState().getStorageBytes(address, key)?.slice();
  }

  private latestState(): StateReader {
    if (this.executed === undefined) throw new NodeError({ code: "NOTHING_EXECUTED" });
    return this.executed;
  }
}

/** Copies the bytes: a view would be sent with the whole memory behind it. */
function inOwnMemory(fields: HeaderFields): HeaderFields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? value.slice() : value,
  ]);
  return Object.fromEntries(entries) as HeaderFields;
}
