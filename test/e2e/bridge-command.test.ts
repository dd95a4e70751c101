import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli, withFolder } from "@cambium/test-utils/node-cli";
import { vectorPath } from "@cambium/test-utils/vectors";
import { RECORDED_NETWORK } from "./companion.js";

describe("node-cli bridge", () => {
  it("prints the genesis state", async () => {
    await withFolder(async (folder) => {
      const empty = join(folder, "empty.txt");
      const data = ["--network", "local", "--data-dir", join(folder, "data")];
      writeFileSync(empty, "");
      assert.equal((await runCli("import", empty, ...data)).status, 0);
      const { block, ...state } = await report("state", data);
      assert.equal(block.number, 0);
      assert.deepEqual(state.pegOuts, { queued: 0, waitingForConfirmations: 0, waitingForSignatures: 0 });
      assert.deepEqual(state.coins, { active: { count: 0, value: "0" } });
      assert.equal(state.parentChain.height, 0);
      const { active, proposed } = await report("federation", data);
      assert.equal(active.address, state.federation);
      assert.equal(active.threshold, 2);
      assert.equal(active.members.length, 3);
      assert.equal(proposed, undefined);
    });
  });

  it("prints the state after a chain with bridge calls", async () => {
    const blocks = vectorPath("chains", "bridge-basic.blocks.txt.gz");
    await withFolder(async (folder) => {
      const data = ["--network", RECORDED_NETWORK, "--data-dir", folder];
      assert.equal((await runCli("import", blocks, ...data)).status, 0);
      const state = await report("state", data);
      const { queued, nextPegOutBlock, waitingForSignatures } = await report("pegouts", data);
      assert.equal(state.pegOuts.queued, queued.length);
      assert.equal(state.nextPegOutBlock, nextPegOutBlock);
      assert.equal(state.pegOuts.waitingForSignatures, waitingForSignatures.length);
      for (const { destination, amount, requestedBy } of queued) {
        assert.match(destination, /^[mn]\w{25,34}$/);
        assert.ok(BigInt(amount) > 0n);
        assert.match(requestedBy, /^0x[0-9a-f]{64}$/);
      }
      const { active, proposed } = await report("federation", data);
      for (const { address, members, threshold } of [active, ...(proposed === undefined ? [] : [proposed])]) {
        assert.match(address, /^2\w{33,34}$/);
        assert.equal(threshold, Math.floor(members.length / 2) + 1);
      }
      for (const part of ["state", "federation", "pegouts"]) {
        const { status, stdout } = await runCli("bridge", part, ...data);
        assert.equal(status, 0);
        assert.match(stdout, /^after block \d+ 0x[0-9a-f]{64}\n/);
        assert.doesNotMatch(stdout, /undefined|NaN|\[object/);
      }
    });
  });
});

async function report(part: string, data: readonly string[]) {
  const { status, stdout, stderr } = await runCli("bridge", part, ...data, "--json");
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}
