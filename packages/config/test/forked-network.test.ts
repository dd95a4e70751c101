import assert from "node:assert/strict";
import { forkedNetwork } from "../src/forked-network.js";
import { isForDevelopment, isLocal, loadNetwork, local, main, networkJson, rulesAt, test } from "../src/index.js";

const FORK = {
  source: "https://rpc.example.org",
  chainId: 30,
  number: 8_000_000,
  hash: new Uint8Array(32).fill(1),
  header: Uint8Array.of(0xc0),
  totalDifficulty: 10n ** 24n,
  selector: "hash" as const,
  accounts: [{ address: new Uint8Array(20), balance: 5n, nonce: 3n }],
  cache: "/tmp/forks",
};

describe("network of a fork", () => {
  it("has the rules and the id of its base, and is for development all the same", () => {
    for (const base of [main, test, local]) {
      const forked = forkedNetwork(base, FORK);
      assert.equal(forked.chainId, base.chainId);
      assert.deepEqual(rulesAt(forked, 8_000_001), rulesAt(base, 8_000_001));
      assert.deepEqual([isForDevelopment(forked), isLocal(forked)], [true, true]);
      assert.deepEqual([forked.consensus.minimumDifficulty, forked.deployedWire], [1n, undefined]);
      assert.deepEqual([forked.bridge, forked.parentChain], [base.bridge, base.parentChain]);
    }
    assert.equal(forkedNetwork(main, FORK, { chainId: 33 }).chainId, 33);
    assert.equal(forkedNetwork(main, FORK, { gasLimit: 9_000_000 }).consensus.minimumSequentialGas, 9_000_000);
  });

  it("is for development on public ids only with a fork, and only if it says so", () => {
    assert.equal(isForDevelopment({ ...main, isForDevelopment: true }), false);
    assert.equal(isForDevelopment({ ...test, isForDevelopment: true }), false);
    assert.equal(isForDevelopment({ ...main, fork: FORK }), false);
  });

  it("is written to a file and read back", async () => {
    const forked = forkedNetwork(main, FORK);
    const read = await loadNetwork(JSON.parse(JSON.stringify(await networkJson(forked))));
    assert.deepEqual(read.fork, FORK);
    assert.deepEqual(await networkJson(read), await networkJson(forked));
  });
});
