import { ChainError } from "@cambium/chain-store";
import { DatabaseError } from "@cambium/database";
import { ThreadClient, type ThreadError, threadEntry } from "@cambium/primitives";
import type { ImportMethods, ImportThreadData, PlainChainEvent } from "./import-messages.js";

/**
 * Size of the young generation, in megabytes. Execution allocates many short-lived objects. The larger it is, the fewer
 * of them survive until a scavenge moves them.
 */
const YOUNG_GENERATION = 48;
/** Maximum number of blocks in flight; all sources together have fewer. */
const MAX_IN_FLIGHT = 4096;

/** This thread's side of `import-thread.ts`. */
export class ImportClient {
  /** Receives events before the results of the imports that caused them. */
  onEvent: (event: PlainChainEvent) => void = () => undefined;
  private readonly client: ThreadClient<ImportMethods, PlainChainEvent>;
  private failure: ThreadError | DatabaseError | undefined;

  constructor(
    data: ImportThreadData,
    /** Called once if the thread fails: it ended unexpectedly, or cannot write. */
    private readonly onFailure: (error: ThreadError | DatabaseError) => void,
  ) {
    this.client = new ThreadClient({
      name: "import",
      entry: threadEntry("./import-thread.js", import.meta.url),
      data,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
      errors: [ChainError, DatabaseError],
      maxInFlight: MAX_IN_FLIGHT,
      onEvent: (event) => this.onEvent(event),
      onFailure: (error) => this.fail(error),
    });
  }

  /** Resolves when the thread has opened its chain. Rejects as `openChain` and `openLevelDatabase` do. */
  get opened(): Promise<void> {
    return this.client.opened;
  }

  /** Rejects with {@link ChainError}, {@link DatabaseError} or {@link ThreadError}. */
  async call<Name extends keyof ImportMethods>(
    name: Name,
    argument: Parameters<ImportMethods[Name]>[0],
  ): Promise<Awaited<ReturnType<ImportMethods[Name]>>> {
    if (this.failure !== undefined) throw this.failure;
    try {
      return await this.client.call(name, argument);
    } catch (error) {
      if (error instanceof DatabaseError) this.fail(error);
      throw error;
    }
  }

  /** Waits for the thread to finish its work and close its database. */
  close(): Promise<void> {
    return this.client.close();
  }

  private fail(error: ThreadError | DatabaseError): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    this.onFailure(error);
  }
}
