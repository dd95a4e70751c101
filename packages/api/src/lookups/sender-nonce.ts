import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { stateNotFound } from "../errors.js";
import { firstBlockWhere } from "./first-block.js";

/**
 * Finds the transaction of the best chain that an account sent with a nonce. There is no index of them, but the nonce
 * grows with the blocks. Throws {@link RpcError} `STATE_NOT_FOUND` if the block may be older than the stored states.
 */
export function minedTransaction(
  chain: ChainReader,
  sender: Uint8Array,
  nonce: bigint,
): { block: Block; index: number } | undefined {
  const beginning = firstBlockWhere(chain, (state) => state.getNonce(sender) > nonce);
  if (beginning === undefined) return undefined;
  const block = chain.blockByNumber(beginning.number);
  const index = block?.transactions.findIndex((one) => one.nonce === nonce && isOf(one.sender, sender)) ?? -1;
  if (index >= 0) return { block: block!, index };
  // The nonce of a contract counts its creations, without transactions.
  if (beginning.isUncertain) throw stateNotFound(TOO_OLD);
  return undefined;
}

const TOO_OLD = "The transaction is older than the states of this node (see --state.history)";

function isOf(found: Uint8Array | undefined, sender: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, sender);
}
