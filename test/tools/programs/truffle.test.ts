import assert from "node:assert/strict";
import { runIn } from "../tours/commands.js";
import { inEachMode } from "./chains.js";
import { installPackages, projectOf } from "./program.js";

/** Tests a project of Truffle: a migration, then tests that Truffle separates by snapshots of the chain. */
describe("Truffle", function () {
  this.timeout(600_000);
  before(() => installPackages("truffle"));

  inEachMode("migrates and tests", async ({ url }) => {
    const command = ["node_modules/.bin/truffle", "test", "--config", "truffle-config.cjs", "--network", "cambium"];
    const output = await runIn(projectOf("truffle"), command, { NODE_URL: url });
    const { passes, failures } = JSON.parse(output.slice(output.indexOf("{\n")));
    assert.deepEqual([passes.length, failures.length], [5, 0], output);
  });
});
