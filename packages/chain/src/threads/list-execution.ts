import type { Evm } from "@cambium/evm";
import { JournaledState } from "@cambium/state";
import { applySenders, Block, blockItems, decodeBlockHeader, decodeTransactions } from "@cambium/types";
import { executeSecondList, type ListResults } from "../execution/block-executor.js";
import type { StoredChainReader } from "../store/reader.js";

/** A block with two parallel lists, for another thread. */
export interface PostedBlock {
  bytes: Uint8Array;
  /** The known signers, packed. */
  senders: Uint8Array;
}

/** Methods of `list-thread.ts`. */
export interface ListMethods {
  /** As `ListExecutor.execute`. */
  execute(block: PostedBlock): ListResults | undefined;
}

/** Executes second parallel lists on the states that a reader finds. */
export class ListExecution implements ListMethods {
  constructor(
    private readonly chain: Pick<StoredChainReader, "network" | "stateAfter" | "ancestors">,
    private readonly evm: Evm,
  ) {}

  execute({ bytes, senders }: PostedBlock): ListResults | undefined {
    const { chain, evm } = this;
    const { network } = chain;
    const header = decodeBlockHeader(bytes, network);
    const stateAtParent = chain.stateAfter(header.parentHash);
    if (stateAtParent === undefined) return undefined;
    const transactions = decodeTransactions(blockItems(bytes)[1], network);
    applySenders(transactions, senders);
    const block = new Block(header, transactions, []);
    const ancestors = chain.ancestors(header.parentHash);
    return executeSecondList({ block, state: new JournaledState(stateAtParent), evm, network, ancestors });
  }
}
