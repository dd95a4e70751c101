import { parentPort, workerData } from "node:worker_threads";
import { openLevelDatabase } from "@cambium/database";
import type { Chain } from "../import/chain.js";
import type { ChainEvent } from "../interface.js";
import { openChain } from "../open-chain.js";
import type { Announcement, ImportMessage, ImportRequest, ImportThreadData } from "./import-thread-messages.js";
import { failureOf } from "./import-thread-messages.js";
import { RecoveringImport } from "./recovering-import.js";
import { packSenders } from "./sender-recovery.js";

/** The thread's side of `import-thread-link.ts`: the chain that judges, executes and writes. */
class ImportServer {
  private readonly imports: RecoveringImport;
  private readonly underWay = new Set<Promise<void>>();
  private heard: () => void = () => undefined;

  constructor(
    private readonly chain: Chain,
    private readonly send: (message: ImportMessage) => void,
  ) {
    this.imports = new RecoveringImport(chain);
    chain.on((event) => send({ kind: "event", event: announcement(event) }));
  }

  take(request: ImportRequest): void {
    if (request.kind === "heard") this.heard();
    else if (request.kind === "close") void this.close();
    else this.track(this.answer(request));
  }

  private track(work: Promise<void>): void {
    this.underWay.add(work);
    void work.finally(() => this.underWay.delete(work));
  }

  private async answer(request: Exclude<ImportRequest, { kind: "heard" | "close" }>): Promise<void> {
    const { id } = request;
    try {
      if (request.kind === "import") {
        const result = await this.imports.import(request.encoded, request.senders);
        this.send({ kind: "result", id, result });
        return;
      }
      if (request.kind === "rewind") await this.chain.rewind(request.hash, () => this.waitForListeners());
      else await this.chain.rememberInvalid(request.hash);
      this.send({ kind: "done", id });
    } catch (error) {
      this.send({ kind: "failed", id, failure: failureOf(error) });
    }
  }

  private waitForListeners(): Promise<void> {
    return new Promise((resolve) => {
      this.heard = resolve;
      this.send({ kind: "deleting" });
    });
  }

  private async close(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await this.imports.close();
    await this.chain.close();
    this.send({ kind: "closed" });
    parentPort!.close();
  }
}

function announcement(event: ChainEvent): Announcement {
  const { kind, block } = event;
  const { hash, number } = block;
  const senders = packSenders(block);
  return kind === "reorg"
    ? { kind, hash, number, senders, reorganisation: event.reorganisation }
    : { kind, hash, number, senders };
}

async function serve({ network, location, level, nodeCacheCapacity }: ImportThreadData): Promise<void> {
  const port = parentPort!;
  const send = (message: ImportMessage) => port.postMessage(message);
  try {
    const database = await openLevelDatabase(location, level);
    let chain: Chain;
    try {
      chain = await openChain({ network, database, nodeCacheCapacity });
    } catch (error) {
      await database.close();
      throw error;
    }
    const server = new ImportServer(chain, send);
    port.on("message", (request: ImportRequest) => server.take(request));
    send({ kind: "ready" });
  } catch (error) {
    send({ kind: "refused", failure: failureOf(error) });
  }
}

await serve(workerData as ImportThreadData);
