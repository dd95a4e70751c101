import { workerData } from "node:worker_threads";
import { openReader } from "@cambium/chain";
import { attachLevelDatabase } from "@cambium/database";
import { loadPrecompiles } from "@cambium/evm";
import { serveThread } from "@cambium/primitives";
import type { BuildingMethods, BuildingThreadData, SlowTransaction } from "./building-messages.js";
import { BuildingService } from "./building-service.js";
import { BuildingSignals } from "./building-signals.js";

void serveThread<BuildingMethods, SlowTransaction>(async ({ emit }) => {
  const { network, location, nodeCacheCapacity, options, signals } = workerData as BuildingThreadData;
  const [database] = await Promise.all([attachLevelDatabase(location), loadPrecompiles()]);
  const service = new BuildingService(openReader({ network, database, nodeCacheCapacity }), {
    options,
    signals: new BuildingSignals(signals),
    onSlow: (slow) => emit({ slow }),
  });
  return {
    methods: {
      setMinimumGasPrice: (price) => service.setMinimumGasPrice(price),
      build: (call) => service.build(call),
      pendingBlock: (work) => service.pendingBlock(work),
      execute: (work) => service.execute(work),
      balance: (address) => service.balance(address),
      code: (address) => service.code(address),
      storage: (cell) => service.storage(cell),
    },
    close: () => database.close(),
  };
});
