import assert from "node:assert/strict";
import { copyOf, emptyChain, thousand } from "./chains.js";
import { bench, stopAll } from "./engine-support.js";

describe("synchronisation", () => {
  afterEach(stopAll);

  for (const height of [1, 30, 200, 1000]) {
    it(`brings a new node to block ${height}`, async () => {
      const other = await copyOf(await thousand(), height);
      const { network, engine, reaches } = bench(await emptyChain());
      network.add("honest", other);
      engine.start();
      await reaches(other);
      assert.deepEqual(network.reports, []);
      assert(network.mostUnderWay <= 2);
    });
  }
});
