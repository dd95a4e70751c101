import {
  type BlockTemplate,
  type BuildRequest,
  MinerError,
  type MiningChain,
  type PendingTransactionSource,
  type TemplateBuilder,
  type TransactionFault,
} from "@cambium/miner";
import type { Transaction } from "@cambium/types";
import type { BuildingClient } from "./building-client.js";
import { type BuiltTemplate, UNNUMBERED } from "./building-messages.js";
import { receivedTemplate } from "./received-template.js";

export interface ThreadedBuilderParts {
  /** Chain on whose best block templates are built, even if the thread sees later ones. */
  chain: Pick<MiningChain, "best" | "network">;
  pool: PendingTransactionSource;
  /** Executes the pool's transactions. */
  client: BuildingClient;
  /** Client of a thread that builds templates without transactions, and is therefore always ready. */
  emptyClient: BuildingClient;
  /** Receives each unexpected error of a transaction's execution. */
  onInternalFault?: (fault: TransactionFault) => void;
  /** Called when `client` completes a template for which one without transactions was returned. */
  onLateAnswer?: () => void;
}

/** A build to send to a thread. */
interface Build {
  request: BuildRequest;
  ordered: readonly Transaction[];
  number: number;
}

/**
 * Builds templates in other threads, which read the same database: a block is on disk before it is announced. If one
 * transaction takes long to execute, the template has no transactions.
 */
export class ThreadedBuilder implements TemplateBuilder {
  private lastBuild = 0;

  constructor(private readonly parts: ThreadedBuilderParts) {}

  get rewardAddress(): Uint8Array {
    return this.parts.client.buildingOptions.rewardAddress;
  }

  async build(request: BuildRequest, signal?: AbortSignal): Promise<BlockTemplate> {
    const { chain, client, pool } = this.parts;
    const parentHash = request.parentHash ?? chain.best().hash;
    if (request.transactions?.length === 0) return this.buildEmpty({ ...request, parentHash });
    const number = signal === undefined ? UNNUMBERED : ++this.lastBuild;
    const ordered = request.transactions ?? pool.ordered();
    const answer = this.buildFull({ request: { ...request, parentHash }, ordered, number });
    const template = await client.unlessLate(unlessAborted(answer, signal, () => client.abandon(number)));
    if (template !== "late") return template;
    answer.then(
      () => this.parts.onLateAnswer?.(),
      () => undefined,
    );
    return this.buildEmpty({ ...request, parentHash });
  }

  private async buildFull({ request, ordered, number }: Build): Promise<BlockTemplate> {
    const { client, pool, onInternalFault } = this.parts;
    const built = await send(client, { request, ordered, number });
    for (const fault of built.faults) onInternalFault?.(fault);
    if (built.unusable.length > 0) pool.evict(built.unusable, "unusable");
    return this.template(built, ordered);
  }

  private async buildEmpty(request: BuildRequest): Promise<BlockTemplate> {
    const built = await send(this.parts.emptyClient, { request, ordered: [], number: UNNUMBERED });
    return this.template(built, []);
  }

  private template(built: BuiltTemplate, ordered: readonly Transaction[]): BlockTemplate {
    return receivedTemplate(built, ordered, this.parts.chain.network);
  }
}

function send(client: BuildingClient, { request, ordered, number }: Build): Promise<BuiltTemplate> {
  return client.call("build", (mirror) => ({
    number,
    parentHash: request.parentHash!.slice(),
    adjustment: request.adjustment ?? 0,
    chosen: request.chosen ?? {},
    // A template without transactions does not change the thread's copy of the pool, which serves the next block.
    pool: ordered.length === 0 ? undefined : mirror.update(ordered),
    isLimited: request.transactions === undefined,
  }));
}

/**
 * Resolves to the answer, or rejects once the signal aborts: the thread may be in native code, which cannot be
 * interrupted.
 */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined, abandon: () => void): Promise<T> {
  if (signal === undefined) return answer;
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => {
      abandon();
      reject(new MinerError({ code: "BUILD_ABANDONED" }));
    };
    signal.addEventListener("abort", abort, { once: true });
    stopListening = () => signal.removeEventListener("abort", abort);
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    stopListening();
  }
}
