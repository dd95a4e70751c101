import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "@cambium/test-utils/node-cli";
import { Figures, readPrinted } from "../bench/figures.js";
import { BENCHES_OF_PAGE, performancePage } from "../bench/performance-page.js";

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

  it("of other programs are read as the benchmarks print them", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "revm.txt");
      writeFileSync(path, "interpreter: swap 29.6 µs\ninterpreter: swap, gas 2742 gas/µs\n");
      assert.deepEqual(readPrinted(path), [
        { bench: "interpreter", name: "swap", value: 29.6, unit: "µs" },
        { bench: "interpreter", name: "swap, gas", value: 2742, unit: "gas/µs" },
      ]);
      writeFileSync(path, "swap: fast\n");
      assert.throws(
        () => readPrinted(path),
        /revm\.txt: expected "<bench>: <name> <value> <unit>", found "swap: fast"/,
      );
    });
  });

  it("make a page, with the figures of peers and the ratios to them", () => {
    const figure = { bench: "rpc", name: "eth_call", unit: "requests/s" };
    const figures = [
      { ...figure, value: 3_000 },
      { ...figure, value: 1_500, peer: "geth" },
      { ...figure, name: "only of a peer", value: 1, peer: "geth" },
      { bench: "import", name: "reads", value: 1.234_5, unit: "ms" },
      { bench: "attacks", name: "reads", value: 1, unit: "ms" },
    ];
    const page = performancePage(figures, "a machine");
    assert.match(page, /\nMeasured on: a machine\.\n/);
    assert.match(
      page,
      /\n## rpc\n\n[^|]+\n\n\| figure .*\n\|.*\n\| eth_call \| 3000 requests\/s \| geth 1500 \(2\.00\) \|\n\n## import\n/,
    );
    assert.match(page, /\| reads \| 1\.23 ms \| {2}\|\n$/);
    for (const bench of BENCHES_OF_PAGE)
      assert.ok(existsSync(new URL(`../bench/${bench}.bench.ts`, import.meta.url)), bench);
  });
});
