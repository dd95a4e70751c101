import assert from "node:assert/strict";
import { BlockState } from "../../src/state/flat-state.js";
import { FlatTables } from "../../src/state/flat-tables.js";
import { TABLES } from "../../src/tables/tables.js";

describe("the state after a block", () => {
  it("reads a key once, also one without a value: a block can ask for tens of thousands", () => {
    let reads = 0;
    const tables = new FlatTables({
      get: (table) => {
        if (table === TABLES.flatState) reads++;
        return undefined;
      },
    });
    const block = { number: 7, hash: new Uint8Array(32) };
    const source = {
      tables,
      isShared: false,
      largeStorage: 0,
      newestRecord: (key: Uint8Array) => tables.record(key),
      locate: () => ({ ...block, changed: undefined }),
      isCurrent: () => true,
      trieOf: () => assert.fail("no trie is needed"),
    };
    const state = new BlockState(source, block, new Uint8Array(32));
    assert.equal(state.get(Uint8Array.of(1, 2, 3)), undefined);
    assert.equal(reads, 1);
  });
});
