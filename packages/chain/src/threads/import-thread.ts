import { workerData } from "node:worker_threads";
import { attachLevelDatabase, TimedDatabase, verifyTables } from "@cambium/database";
import { loadPrecompiles } from "@cambium/evm";
import { serveThread, type ThreadEvents, type ThreadService } from "@cambium/primitives";
import { packKnownSenders } from "@cambium/types";
import type { Chain } from "../import/chain.js";
import type { ChainEvent } from "../interface.js";
import { openChain } from "../open-chain.js";
import { DamageSearch } from "./damage-search.js";
import type { Announcement, ImportMethods, ImportThreadData } from "./import-messages.js";
import { ListThread } from "./list-thread-client.js";
import { Prefetch } from "./prefetch-client.js";
import { RecoveringImport } from "./recovering-import.js";

interface Opened {
  chain: Chain;
  listThread: ListThread;
  prefetch: Prefetch;
  damage: DamageSearch;
}

/** One in so many reads of the import is timed. */
const TIMED_READS = 16;

async function open({ location, level, log, minListTime, minDiskTime, ...options }: ImportThreadData): Promise<Opened> {
  const { network } = options;
  const prefetch = new Prefetch({ network, location, minDiskTime });
  const [attached] = await Promise.all([
    attachLevelDatabase(location, { ...level, log, onWriterFailure }),
    loadPrecompiles(),
  ]);
  const database = new TimedDatabase(attached, TIMED_READS, (microseconds) => prefetch.noteRead(microseconds));
  try {
    const listThread = new ListThread({ location, network, minTime: minListTime });
    const onTurn = () => prefetch.advance();
    const chain = await openChain({ database, listExecutor: listThread, onTurn, ...options });
    return { chain, listThread, prefetch, damage: new DamageSearch(() => verifyTables(location)) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Ends this thread at once: batches that are not flushed would stay so until the next block. */
function onWriterFailure(error: Error): never {
  throw error;
}

/** Serves the importing chain to `import-client.ts`. */
function serve(
  { chain, listThread, prefetch, damage }: Opened,
  { emit, delivered }: ThreadEvents<Announcement>,
): ThreadService<ImportMethods> {
  const imports = new RecoveringImport(chain, undefined, prefetch);
  void chain.catchUp();
  chain.on((event) => emit(announcement(event)));
  return {
    methods: {
      import: (input) => damage.explain(imports.import(input), input.source),
      // Removed blocks are deleted only after the listeners in the other thread have read them.
      rewind: (hash) => chain.rewind(hash, delivered),
      rememberInvalid: (hash) => chain.rememberInvalid(hash),
    },
    async close() {
      await imports.close();
      await prefetch.close();
      await chain.close();
      await listThread.close();
    },
  };
}

function announcement(event: ChainEvent): Announcement {
  const { kind, hash, number, source } = event;
  const senders = packKnownSenders(event.block.transactions);
  return kind === "reorg"
    ? { kind, hash, number, source, senders, reorganisation: event.reorganisation }
    : { kind, hash, number, source, senders };
}

await serveThread<ImportMethods, Announcement>(async (events) =>
  serve(await open(workerData as ImportThreadData), events),
);
