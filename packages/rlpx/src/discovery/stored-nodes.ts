import type { Logger } from "@cambium/primitives";
import type { DiscoveredNode, DiscoveryOptions } from "./interface.js";

/** Maximum number of stored nodes, the latest seen first. */
export const MAX_STORED = 256;

/** The nodes of the last run, at which discovery starts besides the boot nodes. */
export class StoredNodes {
  constructor(
    private readonly store: DiscoveryOptions["store"],
    private readonly logger: Logger,
  ) {}

  read(): readonly DiscoveredNode[] {
    try {
      return this.store.read().slice(0, MAX_STORED);
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.warn({ error: reason }, "Cannot read the nodes of the last run; starting from the boot nodes only");
      return [];
    }
  }

  /** Stores the nodes, the latest seen last. An empty list leaves those of the last run, which are better than none. */
  write(latestLast: readonly DiscoveredNode[]): void {
    const nodes = [...latestLast].reverse().slice(0, MAX_STORED);
    if (nodes.length === 0) return;
    try {
      this.store.write(nodes);
    } catch (error) {
      this.logger.warn({ error: (error as Error).message }, "Cannot store the discovered nodes");
    }
  }
}
