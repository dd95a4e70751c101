import type { ChainReader } from "@cambium/chain";
import { toData } from "@cambium/primitives";
import { replayBlock } from "../calls/replay.js";
import { stateNotFound } from "../errors.js";
import { firstBlockWhere } from "../lookups/first-block.js";
import { addressData } from "../objects/format.js";
import { CreationTracer } from "./creation-tracer.js";

export interface ContractCreator {
  /** Hash of the transaction in which the contract was created. */
  hash: string;
  creator: string;
}

/**
 * Finds the creator of a contract. Returns null for accounts that have no code now, and for contracts that no
 * transaction created. Throws {@link RpcError} `STATE_NOT_FOUND` if the contract may be older than the stored states.
 */
export function contractCreator(chain: ChainReader, address: Uint8Array): ContractCreator | null {
  const beginning = firstBlockWhere(chain, (state) => state.getCodeSize(address) > 0);
  if (beginning === undefined || beginning.number === 0) return null;
  if (beginning.isUncertain) throw stateNotFound(TOO_OLD);
  const block = chain.blockByNumber(beginning.number)!;
  const { tracers } = replayBlock(chain, block, () => new CreationTracer(address))!;
  const found = [...tracers].findLast(([, { creator }]) => creator !== undefined);
  if (found === undefined) return null;
  const [index, { creator }] = found;
  return { hash: toData(block.transactions[index]!.hash), creator: addressData(creator!) };
}

const TOO_OLD = "The contract may be older than the states of this node (see --state.history)";
