import type { ChainReader } from "@cambium/chain";
import { equalBytes } from "@cambium/primitives";
import type { Block } from "@cambium/types";
import { stateNotFound } from "../errors.js";

/**
 * The transaction of the best chain that an account sent with a nonce. There is no index of them: since the nonce grows
 * with the blocks, its block is found by reading some 25 states. Throws {@link RpcError} `STATE_NOT_FOUND` if the block
 * may be older than the states.
 */
export function minedTransaction(
  chain: ChainReader,
  sender: Uint8Array,
  nonce: bigint,
): { block: Block; index: number } | undefined {
  /** Undefined if the state is not stored, nor are those before it. */
  const nonceAfter = (number: number) => {
    const hash = chain.hashByNumber(number);
    return hash && chain.stateAfter(hash)?.getNonce(sender);
  };
  let after = chain.best().header.number;
  if ((nonceAfter(after) ?? 0n) <= nonce) return undefined;
  let before = -1;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if ((nonceAfter(middle) ?? 0n) > nonce) after = middle;
    else before = middle;
  }
  const block = chain.blockByNumber(after);
  const index = block?.transactions.findIndex((one) => one.nonce === nonce && isOf(one.sender, sender)) ?? -1;
  if (index >= 0) return { block: block!, index };
  // A contract's nonce counts what it created, without transactions.
  if (before >= 0 && nonceAfter(before) === undefined) throw stateNotFound(TOO_OLD);
  return undefined;
}

const TOO_OLD = "The transaction is older than the states of this node (see --state.history)";

function isOf(found: Uint8Array | undefined, sender: Uint8Array): boolean {
  return found !== undefined && equalBytes(found, sender);
}
