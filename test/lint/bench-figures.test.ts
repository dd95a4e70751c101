import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { Figures } from "../bench/figures.js";

describe("figures of benchmarks", () => {
  it("are compared with those of a file", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "0.1.0.json");
      const old = new Figures();
      old.add("import: blocks", 200, "blocks/s");
      old.add("rpc: start", 0, "ms");
      old.save(path);
      const read = Figures.read(path);
      assert.equal(read.ratio("import: blocks", 250, "blocks/s"), 1.25);
      assert.equal(read.ratio("import: blocks", 250, "Mgas/s"), undefined);
      assert.equal(read.ratio("rpc: start", 1, "ms"), undefined);
      assert.equal(read.ratio("trie: reads", 1, "reads/s"), undefined);
    });
  });

  it("are refused if they are none", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "other.json");
      writeFileSync(path, '{ "import: blocks": 1 }');
      assert.throws(() => Figures.read(path), /other\.json: expected a value and a unit of import: blocks/);
    });
  });
});
