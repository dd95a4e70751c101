import { setTimeout } from "node:timers/promises";
import type { Evm } from "@cambium/evm";
import { JournaledState, type KeyedStateView } from "@cambium/state";
import { applySenders, Block, blockItems, decodeBlockHeader, decodeTransactions } from "@cambium/types";
import { executeSecondList, type ListResults } from "../execution/block-executor.js";
import type { StoredChainReader } from "../store/reader.js";

/** Milliseconds: what the disk takes for a batch is mostly less; and the time between two looks. */
const PATIENCE = 50;
const POLL = 1;

/** A block with two parallel lists, for another thread. */
export interface PostedBlock {
  bytes: Uint8Array;
  /** The known signers, packed. */
  senders: Uint8Array;
}

/** Methods of `list-thread.ts`. */
export interface ListMethods {
  /** As `ListExecutor.execute`. */
  execute(block: PostedBlock): Promise<ListResults | undefined>;
}

/** Executes second parallel lists on the states that a reader finds. */
export class ListExecution implements ListMethods {
  constructor(
    private readonly chain: Pick<StoredChainReader, "network" | "headerByHash" | "stateAfter" | "ancestors">,
    private readonly evm: Evm,
    /** Milliseconds for which it waits for a block to be written. */
    private readonly patience = PATIENCE,
  ) {}

  async execute({ bytes, senders }: PostedBlock): Promise<ListResults | undefined> {
    const { chain, evm } = this;
    const { network } = chain;
    const header = decodeBlockHeader(bytes, network);
    const stateAtParent = await this.stateAfter(header.parentHash);
    if (stateAtParent === undefined) return undefined;
    const transactions = decodeTransactions(blockItems(bytes)[1], network);
    applySenders(transactions, senders);
    const block = new Block(header, transactions, []);
    const ancestors = chain.ancestors(header.parentHash);
    return executeSecondList({ block, state: new JournaledState(stateAtParent), evm, network, ancestors });
  }

  /** The block may be in the hands of the thread that writes. */
  private async stateAfter(hash: Uint8Array): Promise<KeyedStateView | undefined> {
    const { chain, patience } = this;
    const end = performance.now() + patience;
    while (chain.headerByHash(hash) === undefined && performance.now() < end) await setTimeout(POLL);
    return chain.stateAfter(hash);
  }
}
