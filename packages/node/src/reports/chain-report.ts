import type { ChainEvent } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { LimitedLines, toData } from "@cambium/primitives";
import type { Logger } from "pino";
import type { NodeChain } from "../node-chain.js";

const LIMIT = { lines: 20, window: 8_000 };
/** Blocks that leave the best chain from which on an operator should look; development networks are rewound at will. */
const DEEP = 6;

/**
 * Logs each new best block and each reorganisation, unless a long synchronisation is in progress, which has lines of its own. Returns
 * a function that ends this.
 */
export function reportChain(chain: NodeChain, isSyncing: () => boolean, logger: Logger): () => void {
  const lines = new LimitedLines(LIMIT, (count) => {
    logger.info({ blocks: count, number: chain.best().header.number }, "More new best blocks");
  });
  const stop = chain.on((event) => {
    if (event.kind === "sideBlock") {
      if (logger.isLevelEnabled("debug")) logger.debug(blockFields(event), "Side-chain block");
    } else if (event.kind === "reorg" && event.reorganisation.removed.length > 0) {
      reportReorganisation(event, logger, isForDevelopment(chain.network));
    } else if (logger.isLevelEnabled("info") && !isSyncing() && lines.admit()) {
      logger.info(blockFields(event), "New best block");
    }
  });
  return () => {
    stop();
    lines.stop();
  };
}

function reportReorganisation(event: ChainEvent & { kind: "reorg" }, logger: Logger, isExpected: boolean): void {
  const { removed, added, commonAncestor } = event.reorganisation;
  const level = removed.length < DEEP || isExpected ? "info" : "warn";
  if (!logger.isLevelEnabled(level)) return;
  const fields = { depth: removed.length, added: added.length, commonAncestor: toData(commonAncestor) };
  logger[level]({ ...fields, ...blockFields(event) }, "Reorganisation: the best chain has changed");
}

function blockFields({ number, hash, source, header, block }: ChainEvent): object {
  const { transactions } = block;
  return { number, hash: toData(hash), transactions: transactions.length, gasUsed: header.gasUsed, source };
}
