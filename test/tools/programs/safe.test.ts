import { runIn } from "../tours/commands.js";
import { inEachMode } from "./chains.js";
import { installPackages, projectOf } from "./program.js";

/** Tests Safe's contracts and its library: an account of three owners, two of whom must sign. */
describe("Safe", function () {
  this.timeout(600_000);
  before(() => installPackages("safe"));

  inEachMode("creates an account and executes what two of three owners sign", async ({ url, keys }) => {
    await runIn(projectOf("safe"), ["node", "tour.mjs"], { NODE_URL: url, KEYS: JSON.stringify(keys) });
  });
});
