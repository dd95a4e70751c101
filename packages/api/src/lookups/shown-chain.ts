import type { ChainReader, LogLocation, LogQuery } from "@cambium/chain";
import { REWARD_ADDRESS } from "@cambium/config";
import { equalBytes } from "@cambium/primitives";
import { Block } from "@cambium/types";
import type { ApiConfig } from "../config.js";

/**
 * Returns the chain as clients see it. If `skipRemasc` is set, it lacks the reward transactions that end its blocks,
 * with their receipts, logs and traces. All answers are read from this chain, so that no method shows transactions that
 * another one hides. Encoded blocks stay whole: their hashes cover all transactions.
 */
export function shownChain(chain: ChainReader, { skipRemasc }: Pick<ApiConfig, "skipRemasc">): ChainReader {
  if (!skipRemasc) return chain;
  const shown: Partial<ChainReader> = {
    blockByHash: (hash) => withoutReward(chain.blockByHash(hash)),
    blockByNumber: (number) => withoutReward(chain.blockByNumber(number)),
    receipts(hash) {
      const count = withoutReward(chain.blockByHash(hash))?.transactions.length;
      return chain.receipts(hash)?.slice(0, count);
    },
    receipt(hash, index) {
      const isShown = withoutReward(chain.blockByHash(hash))?.transactions[index] !== undefined;
      return isShown ? chain.receipt(hash, index) : undefined;
    },
    findTransaction(hash) {
      const found = chain.findTransaction(hash);
      return found?.transaction.isReward ? undefined : found;
    },
    logs: (query) => shownLogs(chain, query),
    logsByBlock: (query) => shownLogsByBlock(chain, query),
  };
  return new Proxy(chain, {
    get(target, name) {
      const own = shown[name as keyof ChainReader] ?? Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** The block without the reward transaction at its end. */
export function withoutReward<B extends Block | undefined>(block: B): B | Block {
  if (!block?.transactions.at(-1)?.isReward) return block;
  return new Block(block.header, block.transactions.slice(0, -1), block.uncles);
}

/** Only reward transactions make the reward contract write logs. */
function isShown({ log }: LogLocation): boolean {
  return !equalBytes(log.address, REWARD_ADDRESS);
}

function* shownLogs(chain: ChainReader, query: LogQuery): Generator<LogLocation> {
  for (const log of chain.logs(query)) if (isShown(log)) yield log;
}

function* shownLogsByBlock(chain: ChainReader, query: LogQuery): Generator<readonly LogLocation[]> {
  for (const logs of chain.logsByBlock(query)) yield logs.filter(isShown);
}
