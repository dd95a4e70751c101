import type { ThreadedChain } from "@cambium/chain";
import type { BlockBuilder } from "@cambium/miner";
import type { TransactionPool } from "@cambium/txpool";
import { Block } from "@cambium/types";

/**
 * The pending block that simulations run on (`spec/09 §5.1`, 2): built on demand, and cached until the best block or the
 * pool changes.
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
