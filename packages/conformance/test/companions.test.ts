import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { runConformance } from "../src/index.js";

const CHAINS = fileURLToPath(new URL("../../../test/vectors/chains/", import.meta.url));

describe("a file of vectors that is run alone", () => {
  for (const name of ["transfers.blocks.txt", "transfers.json.gz"]) {
    it(`finds the other files of its chain: ${name}`, async function () {
      this.timeout(120_000);
      const { reports, ignored } = await runConformance([`${CHAINS}${name}`]);
      assert.deepEqual(ignored, []);
      assert.deepEqual(
        reports.map(({ suite, failed }) => [suite, failed]),
        [["chains", 0]],
      );
      assert.ok(reports[0]!.passed > 50);
    });
  }
});
