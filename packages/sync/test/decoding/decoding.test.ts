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

describe("decoding in a node with an empty pool and no subscriptions", () => {
  it("decodes a block's header once in each thread, and its transactions in the import thread only", () => {
    const { gossip, synchronisation, counted, all } = counts();
    assert.deepEqual(gossip.main, { header: counted, transactions: 0, transactionsRoot: counted });
    assert.deepEqual(gossip.others, { header: counted, transactions: counted, transactionsRoot: 0 });
    // The response also contains the header of the common block.
    assert.deepEqual(synchronisation.main, { header: all + 1, transactions: 0, transactionsRoot: all });
    assert.deepEqual(synchronisation.others, { header: all, transactions: all, transactionsRoot: 0 });
  });
});
