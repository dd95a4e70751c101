import type { ChainReader } from "@cambium/chain";
import { append, CambiumError, equalBytes } from "@cambium/primitives";
import type { AncestorReader } from "@cambium/state";
import type { Block, Transaction } from "@cambium/types";
import { replayBlock } from "../calls/replay.js";
import { RpcError, searchTooLong, stateNotFound } from "../errors.js";
import type { WorkLimit } from "../limits/deadline.js";
import { TouchTracer } from "./touch-tracer.js";

/** A search for the transactions that involve an account, on the branch that ends in `headHash`. */
export interface AddressSearchRequest {
  address: Uint8Array;
  direction: "before" | "after";
  /** The block before or after which the search starts; 0: it starts after the best block, or after genesis. */
  number: number;
  headHash: Uint8Array;
  /** Number of transactions to find; all of the last block are returned, which may be more. */
  pageSize: number;
  /** Milliseconds that the request may take. */
  time: number;
}

/** A transaction by its place. */
export interface PlacedTransaction {
  block: Block;
  index: number;
}

export interface SearchResult {
  /** Transactions found, in the order of the search. */
  transactions: PlacedTransaction[];
  /** Whether no other transaction follows. */
  isEnd: boolean;
  /** Ends of the range whose blocks were executed only if they changed the account. */
  byChanges?: readonly [number, number];
}

/** Maximum gas that each of the two parts of a search executes: some seconds of work. */
const MAX_GAS = 200_000_000;
/** Work of a block besides its gas. */
const GAS_OF_BLOCK = 100_000;
/** Share of a request's time for each part of the search; the rest ensures that a short page is ready in time. */
const SHARE_OF_TIME = 1 / 3;

/** Searches one page. The chain has no index of calls, so blocks are executed. */
export class AddressSearch {
  private readonly transactions: PlacedTransaction[] = [];
  private readonly head: number;
  private readonly branch: AncestorReader;
  private readonly step: 1 | -1;
  private gas = 0;
  private partEnds = 0;
  private isEnd = false;
  /** The block that was executed last. */
  private at = 0;
  private byChangesFrom: number | undefined;

  constructor(
    private readonly chain: ChainReader,
    private readonly request: AddressSearchRequest,
    private readonly limit: WorkLimit,
    private readonly maxGas = MAX_GAS,
  ) {
    this.head = chain.headerByHash(request.headHash)!.number;
    this.branch = chain.ancestors(request.headHash);
    this.step = request.direction === "after" ? 1 : -1;
  }

  /**
   * Searches. Throws {@link RpcError} `STATE_NOT_FOUND` if the first block cannot be executed, and `LIMIT_EXCEEDED` if
   * the allowed work finds nothing.
   */
  run(): SearchResult {
    const { transactions, step } = this;
    for (const number of this.blocks()) {
      this.limit.check();
      this.at = number;
      const found = this.transactionsIn(number);
      const isFull = transactions.length >= this.request.pageSize;
      if (found === undefined || (isFull && found.length > 0)) break;
      append(transactions, step > 0 ? found : found.reverse());
    }
    const { isEnd, byChangesFrom, at } = this;
    const last = !isEnd ? at : step > 0 ? this.head : 1;
    return { transactions, isEnd, ...(byChangesFrom === undefined ? {} : { byChanges: [byChangesFrom, last] }) };
  }

  /**
   * Yields the numbers of the blocks to execute: one after another while the allowed work lasts, then those that
   * changed the account if nothing was found.
   */
  private *blocks(): Generator<number> {
    const { head, step } = this;
    const { number: bound, address } = this.request;
    const start = step > 0 ? bound + 1 : Math.min(bound === 0 ? head : bound - 1, head);
    const changes = this.changes();
    const share = this.request.time * SHARE_OF_TIME;
    this.partEnds = performance.now() + (changes === undefined ? 2 * share : share);
    let number = start;
    // Genesis has no transactions.
    for (; number > 0 && number <= head; number += step) {
      if (number !== start && this.isSpent()) break;
      yield number;
    }
    if (number > 0 && number <= head) {
      if (this.transactions.length > 0) return;
      if (changes === undefined) throw searchTooLong(address, start, this.at);
      this.byChangesFrom = number;
      this.gas = 0;
      this.partEnds += share;
      for (;;) {
        const changed = this.read(number, () => (step > 0 ? changes.firstAbove(number - 1) : changes.lastUpTo(number)));
        if (changed === undefined || changed < 1 || changed > head) break;
        if (number !== this.byChangesFrom && this.isSpent()) {
          if (this.transactions.length > 0) return;
          throw searchTooLong(address, start, this.at);
        }
        yield changed;
        number = changed + step;
      }
    }
    this.isEnd = true;
  }

  private isSpent(): boolean {
    return this.gas >= this.maxGas || performance.now() >= this.partEnds;
  }

  /** Undefined for contracts, which most calls do not change. */
  private changes(): ReturnType<ChainReader["accountChanges"]> {
    const { address, headHash } = this.request;
    return this.chain.stateAfter(headHash)?.isContract(address) ? undefined : this.chain.accountChanges(address);
  }

  /** Undefined if the block cannot be executed, and the page has transactions already. */
  private transactionsIn(number: number): PlacedTransaction[] | undefined {
    return this.read(number, () => {
      const hash = this.branch.hash(number);
      const block = hash && this.chain.blockByHash(hash);
      if (block === undefined) throw stateNotFound(`Block ${number} is not stored`);
      this.gas += GAS_OF_BLOCK + Number(block.header.gasUsed);
      return touchingTransactions(this.chain, block, this.request.address);
    });
  }

  private read<T>(number: number, read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      const isPruned = error instanceof CambiumError && error.code === "BLOCK_PRUNED";
      if (!isPruned && !isUnavailable(error)) throw error;
      if (this.transactions.length > 0) return undefined;
      if (isPruned) throw error;
      throw stateNotFound(`Block ${number} cannot be searched: its state is not stored (see --state.history)`);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof RpcError) return error.details.code === "STATE_NOT_FOUND";
  return error instanceof CambiumError && error.code === "STATE_UNAVAILABLE";
}

function touchingTransactions(chain: ChainReader, block: Block, address: Uint8Array): PlacedTransaction[] {
  const { transactions } = block;
  const isOwn = transactions.map((transaction) => isPartyTo(transaction, address));
  const replay = isOwn.every(Boolean)
    ? undefined
    : replayBlock(chain, block, (index) => (isOwn[index] ? undefined : new TouchTracer(address)));
  return transactions.flatMap((_, index) => {
    return isOwn[index] || replay?.tracers.get(index)?.touched ? [{ block, index }] : [];
  });
}

/** Whether an account is the sender, the receiver, or the contract that the transaction creates. */
function isPartyTo({ sender, to, isCreation, createdAddress }: Transaction, address: Uint8Array): boolean {
  const receiver = isCreation ? createdAddress : to;
  return [sender, receiver].some((account) => account !== undefined && equalBytes(account, address));
}
