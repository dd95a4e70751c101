import type { ChainEvent, ChainReader } from "@cambium/chain";
import { isForDevelopment } from "@cambium/config";
import { LimitedLines, toData } from "@cambium/primitives";
import type { Logger } from "pino";

const LIMIT = { lines: 20, window: 8_000 };
/**
 * Number of blocks that leave the best chain at which an operator is warned; development networks are rewound at will.
 */
const DEEP = 6;

type ReportedChain = Pick<ChainReader, "best" | "network"> & { on(listener: (event: ChainEvent) => void): () => void };

/**
 * Logs each new best block and each reorganisation, unless a long synchronisation is in progress, which logs
 * separately. Returns a function that ends the report.
 */
export function reportChain(chain: ReportedChain, isSyncing: () => boolean, logger: Logger): () => void {
  const lines = new LimitedLines(LIMIT, (count) => {
    logger.info({ blocks: count, number: chain.best().header.number }, "More new best blocks");
  });
  let height = chain.best().header.number;
  const stop = chain.on((event) => {
    if (event.kind === "sideBlock") {
      if (logger.isLevelEnabled("debug")) logger.debug(blockFields(event), "Side-chain block");
      return;
    }
    const depth = height - (event.number - (event.kind === "reorg" ? event.reorganisation.added.length : 1));
    height = event.number;
    if (event.kind === "reorg" && depth > 0) {
      reportReorganisation(event, depth, logger, isForDevelopment(chain.network));
    } else if (logger.isLevelEnabled("info") && !isSyncing() && lines.admit()) {
      logger.info(blockFields(event), "New best block");
    }
  });
  return () => {
    stop();
    lines.stop();
  };
}

function reportReorganisation(
  event: ChainEvent & { kind: "reorg" },
  depth: number,
  logger: Logger,
  isExpected: boolean,
): void {
  const { added, commonAncestor } = event.reorganisation;
  const level = depth < DEEP || isExpected ? "info" : "warn";
  if (!logger.isLevelEnabled(level)) return;
  const fields = { depth, added: added.length, commonAncestor: toData(commonAncestor) };
  logger[level]({ ...fields, ...blockFields(event) }, "Reorganisation: the best chain has changed");
}

function blockFields({ number, hash, source, header, block }: ChainEvent): object {
  const { transactions } = block;
  return { number, hash: toData(hash), transactions: transactions.length, gasUsed: header.gasUsed, source };
}
