import { workerData } from "node:worker_threads";
import { openReader } from "@cambium/chain";
import { attachLevelDatabase } from "@cambium/database";
import { loadPrecompiles } from "@cambium/evm";
import { serveThread } from "@cambium/primitives";
import type { BuildingMethods, BuildingThreadData } from "./building-messages.js";
import { BuildingService } from "./building-service.js";

await serveThread<BuildingMethods>(async () => {
  const data = workerData as BuildingThreadData;
  const { network, location, nodeCacheCapacity } = data;
  const [database] = await Promise.all([attachLevelDatabase(location), loadPrecompiles()]);
  const service = new BuildingService(openReader({ network, database, nodeCacheCapacity }), data);
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
