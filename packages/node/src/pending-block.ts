import type { ThreadedChain } from "@cambium/chain";
import type { BlockBuilder } from "@cambium/miner";
import type { TransactionPool } from "@cambium/txpool";
import { Block } from "@cambium/types";

/**
 * The block that would be mined next, as simulations see it (`spec/09 §5.1`, 2): built when it is asked for, and again
 * when the best block or the pending transactions have changed since.
 */
export function pendingBlockOf(chain: ThreadedChain, pool: TransactionPool, builder: BlockBuilder): () => Block {
  let known: Block | undefined;
  const forget = () => {
    known = undefined;
  };
  chain.on(forget);
  pool.on(forget);
  return () => {
    if (known === undefined) {
      const { header, transactions, uncles } = builder.build();
      known = new Block(header, transactions, uncles);
    }
    return known;
  };
}
