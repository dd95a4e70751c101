import { Preparation } from "@cambium/node";
import type { NodeOptions } from "@cambium/node/options";
import type { Logger } from "pino";
import type { Values } from "../flags/flag.js";
import { type STATE_FLAGS, stateOptions } from "../state-options.js";
import { bootstrapPublished } from "./bootstrap-published.js";
import { hasChain, type Progress, textOf } from "./install-archive.js";
import { publishedStateOf } from "./published-site.js";
import type { SITE_FLAGS } from "./site-flags.js";

/** Milliseconds between two log lines about the progress. */
const PAUSE = 10_000;

/**
 * Installs the published state of a network if the data folder has no chain yet. Meanwhile, servers at the addresses of
 * the node show the progress; they are returned for the node. Rejects as `bootstrapPublished` and `Preparation.open`
 * do.
 */
export async function startFromPublished(
  node: Pick<NodeOptions, "network" | "dataDir" | "rpc" | "metrics">,
  options: Values<typeof SITE_FLAGS & typeof STATE_FLAGS>,
  logger: Logger,
  signal: AbortSignal,
): Promise<Preparation | undefined> {
  const { network, dataDir } = node;
  const { layout } = stateOptions(options, network);
  const site = publishedStateOf(network, options);
  if (await hasChain({ network, dataDir, layout })) return undefined;
  const progress = new LoggedProgress(logger);
  const preparation = await Preparation.open(node, () => progress.current, logger);
  try {
    const { installed, origin } = await bootstrapPublished(site, { network, dataDir, layout, progress, signal });
    for (const line of textOf(installed, origin).split("\n")) progress.note(line);
    return preparation;
  } catch (error) {
    await preparation.close();
    throw error;
  }
}

/** Logs the current step, at most every ten seconds. */
class LoggedProgress implements Progress {
  current = "looking for published state";
  private last = performance.now();

  constructor(private readonly logger: Logger) {}

  update(text: string, share?: number): void {
    this.current = share === undefined ? text : `${(share * 100).toFixed(1)} %: ${text}`;
    if (performance.now() - this.last < PAUSE) return;
    this.last = performance.now();
    this.logger.info({ share }, this.current);
  }

  note(text: string): void {
    this.current = text;
    this.logger.info(text);
  }

  done(): void {}
}
