import type {
  BlockTemplate,
  BuildRequest,
  MiningChain,
  PendingTransactionSource,
  TemplateBuilder,
  TransactionFault,
} from "@cambium/miner";
import type { BuildingClient } from "./building-client.js";
import { receivedTemplate } from "./received-template.js";

export interface ThreadedBuilderModules {
  /** Templates are built on its best block, whatever later ones the thread sees. */
  chain: Pick<MiningChain, "best" | "network">;
  pool: PendingTransactionSource;
  client: BuildingClient;
  /** Receives each unexpected error of a transaction's execution. */
  onInternalFault?: (fault: TransactionFault) => void;
}

/** Builds templates in another thread, which reads the same database: a block is on disk before it is announced. */
export class ThreadedBuilder implements TemplateBuilder {
  private lastBuild = 0;

  constructor(private readonly modules: ThreadedBuilderModules) {}

  get rewardAddress(): Uint8Array {
    return this.modules.client.buildingOptions.rewardAddress;
  }

  async build(request: BuildRequest, signal?: AbortSignal): Promise<BlockTemplate> {
    const { chain, pool, client, onInternalFault } = this.modules;
    const parentHash = request.parentHash ?? chain.best().hash;
    const ordered = request.transactions ?? pool.ordered();
    const number = ++this.lastBuild;
    const abandon = () => client.abandon(number);
    signal?.addEventListener("abort", abandon, { once: true });
    try {
      const built = await client.call("build", (mirror) => ({
        number,
        parentHash: parentHash.slice(),
        adjustment: request.adjustment ?? 0,
        chosen: request.chosen ?? {},
        // Without transactions, the thread keeps those that it has for the next block.
        pool: ordered.length === 0 ? undefined : mirror.update(ordered),
      }));
      for (const fault of built.faults) onInternalFault?.(fault);
      if (built.unusable.length > 0) pool.evict(built.unusable, "cannot be in a block");
      return receivedTemplate(built, ordered, chain.network);
    } finally {
      signal?.removeEventListener("abort", abandon);
    }
  }
}
