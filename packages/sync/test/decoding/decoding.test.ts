import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const local = (file: string) => fileURLToPath(new URL(file, import.meta.url));

/** Runs in a separate process: the counter must exist before the threads start, and must not count other tests. */
function counts() {
  const imports = ["tsx", "@cambium/test-utils/sources", local("./counting.js")].map((name) => `--import=${name}`);
  const { stdout, stderr } = spawnSync(process.execPath, [...imports, local("./count-decodes.ts")], {
    encoding: "utf8",
  });
  assert(stdout.startsWith("{"), stderr);
  return JSON.parse(stdout);
}

describe("repeated work in a node", () => {
  let result: ReturnType<typeof counts>;

  before(() => {
    result = counts();
  });

  it("with an empty pool and no subscriptions, decodes a block's header once in each thread, and its transactions in the import thread only", () => {
    const { gossip, synchronisation, counted, all } = result;
    assert.deepEqual(gossip.main, { header: counted, transactions: 0, transactionsRoot: counted, sender: 0 });
    assert.deepEqual(gossip.others, { header: counted, transactions: counted, transactionsRoot: 0, sender: counted });
    // The response also contains the header of the common block.
    assert.deepEqual(synchronisation.main, { header: all + 1, transactions: 0, transactionsRoot: all, sender: 0 });
    assert.deepEqual(synchronisation.others, { header: all, transactions: all, transactionsRoot: 0, sender: all });
  });

  it("recovers the signer of a pooled transaction once, however its block arrives", () => {
    const { pool, counted } = result;
    assert.equal(pool.main.sender, counted);
    assert.equal(pool.others.sender, 0);
  });
});
