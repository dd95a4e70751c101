import { workerData } from "node:worker_threads";
import { attachLevelDatabase, verifyTables } from "@cambium/database";
import { loadPrecompiles } from "@cambium/evm";
import { serveThread, type ThreadEvents, type ThreadService } from "@cambium/primitives";
import type { Chain } from "../import/chain.js";
import { openChain } from "../open-chain.js";
import { plainChainEvent } from "./announced-event.js";
import { DamageSearch } from "./damage-search.js";
import type { ImportMethods, ImportThreadData, PlainChainEvent } from "./import-messages.js";
import { RecoveringImport } from "./recovering-import.js";

interface Opened {
  chain: Chain;
  damage: DamageSearch;
}

async function open({ location, level, log, ...options }: ImportThreadData): Promise<Opened> {
  const [database] = await Promise.all([
    attachLevelDatabase(location, { ...level, log, onWriterFailure }),
    loadPrecompiles(),
  ]);
  try {
    const chain = await openChain({ database, ...options });
    return { chain, damage: new DamageSearch(() => verifyTables(location)) };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Ends this thread immediately: batches that are not flushed would stay so until the next block. */
function onWriterFailure(error: Error): never {
  throw error;
}

/** Serves the importing chain to `import-client.ts`. */
function serve(
  { chain, damage }: Opened,
  { emit, delivered }: ThreadEvents<PlainChainEvent>,
): ThreadService<ImportMethods> {
  const imports = new RecoveringImport(chain);
  void chain.catchUp();
  chain.on((event) => emit(plainChainEvent(event)));
  return {
    methods: {
      import: (input) => damage.explain(imports.import(input), input.source),
      // Removed blocks are deleted only after the listeners in the other thread have read them.
      rewind: (hash) => chain.rewind(hash, delivered),
      rememberInvalid: (hash) => chain.rememberInvalid(hash),
    },
    async close() {
      await imports.close();
      await chain.close();
    },
  };
}

void serveThread<ImportMethods, PlainChainEvent>(async (events) =>
  serve(await open(workerData as ImportThreadData), events),
);
