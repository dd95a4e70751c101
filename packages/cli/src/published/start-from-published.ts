import type { NetworkConfig } from "@cambium/config";
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
 * Installs the published state of a network if the data folder has no chain yet. Rejects as `bootstrapPublished` does.
 */
export async function startFromPublished(
  { network, dataDir }: { network: NetworkConfig; dataDir: string },
  options: Values<typeof SITE_FLAGS & typeof STATE_FLAGS>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { layout } = stateOptions(options, network);
  const site = publishedStateOf(network, options);
  if (await hasChain({ network, dataDir, layout })) return;
  const progress = new LoggedProgress(logger);
  const { installed, origin } = await bootstrapPublished(site, { network, dataDir, layout, progress, signal });
  for (const line of textOf(installed, origin).split("\n")) logger.info(line);
}

/** Logs the current step, at most every ten seconds. */
class LoggedProgress implements Progress {
  private last = performance.now();

  constructor(private readonly logger: Logger) {}

  update(text: string, share?: number): void {
    if (performance.now() - this.last < PAUSE) return;
    this.last = performance.now();
    this.logger.info({ share }, share === undefined ? text : `${(share * 100).toFixed(1)} %: ${text}`);
  }

  note(text: string): void {
    this.logger.info(text);
  }

  done(): void {}
}
