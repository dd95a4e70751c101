import { type Evm, ExecutionInterrupted } from "@cambium/evm";
import { fromHex } from "@cambium/primitives";
import { JournaledState, type KeyTracker } from "@cambium/state";
import {
  applySenders,
  Block,
  blockItems,
  decodeBlockHeader,
  decodeTransactions,
  type Transaction,
} from "@cambium/types";
import { executingBlock } from "../execution/block-executor.js";
import { PREFETCHED_KEYS, PREFETCHES } from "../import/measurements.js";
import type { StoredChainReader } from "../store/reader.js";
import type { TriePaths } from "./trie-paths.js";

/** A block that waits for its import. */
export interface QueuedBlock {
  /** In the order of the imports. */
  position: number;
  bytes: Uint8Array;
  /** The known signers, packed. */
  senders: Uint8Array | undefined;
}

export interface PrefetchResult {
  /** Of the thread's latest reads, the share that waited for the disk. */
  diskShare: number;
  /** Whether all was read before the turn of the block came. */
  isComplete: boolean;
}

/** Methods of `prefetch-thread.ts`. */
export interface PrefetchMethods {
  prefetch(block: QueuedBlock): PrefetchResult;
}

/** Transactions are executed without the others of their list. */
const NONE: ReadonlySet<string> = new Set();

/**
 * Reads from the database what the import of a block will read: executes its transactions on the newest state on disk, then reads the trie's paths
 * of the keys that this has changed. The results are thrown away; they may be wrong, since that state lacks the blocks before this one.
 */
export class PrefetchExecution {
  constructor(
    private readonly chain: Pick<StoredChainReader, "network" | "best" | "stateAfter" | "ancestors">,
    private readonly evm: Evm,
    /** Undefined if reading a value reads its path. */
    private readonly paths: Pick<TriePaths, "read"> | undefined,
  ) {}

  /**
   * Returns whether all was read before `isOver` was true, which it is when the result would be too late. Never throws: whatever is wrong with the block, or
   * changes in the database meanwhile, is left to the import.
   */
  prefetch(block: Omit<QueuedBlock, "position">, isOver: () => boolean): boolean {
    try {
      if (!isOver()) this.read(block, isOver);
    } catch {
      PREFETCHES.failed.add();
      return true;
    }
    const isComplete = !isOver();
    PREFETCHES[isComplete ? "complete" : "incomplete"].add();
    return isComplete;
  }

  private read({ bytes, senders }: Omit<QueuedBlock, "position">, isOver: () => boolean): void {
    const { network } = this.chain;
    const transactions = decodeTransactions(blockItems(bytes)[1], network);
    if (senders !== undefined) applySenders(transactions, senders);
    const keys: KeyTracker = { reads: new Set(), writes: new Set() };
    this.execute(new Block(decodeBlockHeader(bytes, network), transactions, []), keys, isOver);
    this.paths?.read(Array.from(keys.writes, fromHex), isOver);
    for (const key of keys.writes) keys.reads.add(key);
    PREFETCHED_KEYS.add(keys.reads.size);
  }

  private execute({ header, transactions }: Block, keys: KeyTracker, isOver: () => boolean): void {
    const { chain, evm } = this;
    const { hash } = chain.best();
    const stored = chain.stateAfter(hash);
    if (stored === undefined) return;
    const state = new JournaledState(stored);
    state.trackKeys(keys);
    const block = executingBlock(header, chain.ancestors(hash));
    const { gasLimit: listGasLimit } = block;
    const common = { block, state, gasUsedBefore: 0n, listGasLimit, deletedInList: NONE, creditFee: true };
    for (const [index, transaction] of transactions.entries()) {
      if (isOver()) return;
      try {
        makeExecutable(transaction, state);
        evm.execute({ ...common, transaction, index });
      } catch (error) {
        if (error instanceof ExecutionInterrupted) return;
        // Further ones may be executable.
      }
    }
  }
}

/** Blocks that the state lacks may have changed nonce and balance of the sender. */
function makeExecutable(transaction: Transaction, state: JournaledState): void {
  const { sender, nonce, gasPrice, gasLimit, value, isReward } = transaction;
  if (isReward || sender === undefined) return;
  state.setNonce(sender, nonce);
  state.addBalance(sender, gasPrice * gasLimit + value);
}
