import assert from "node:assert/strict";
import { toData } from "@cambium/primitives";
import { fakeArtifacts } from "@cambium/test-utils/api/fake-artifacts";
import { FakeChain } from "@cambium/test-utils/api/fake-chain";
import { LOGGER, RealChain, SENDER } from "@cambium/test-utils/api/real-chain";
import { apiOver, ask } from "./support/service.js";

const INVALID = { code: -32602 };

describe("the methods for the page of a developer", () => {
  it("find artifacts by the code of a contract that they were added for", async () => {
    const real = await RealChain.open();
    const [first, second] = [real.deploy(LOGGER), real.deploy(LOGGER)].map(toData);
    await real.mine();
    const service = apiOver(
      { reader: () => real.chain },
      {},
      {
        developer: { artifacts: fakeArtifacts(), keys: [{ address: SENDER, privateKey: new Uint8Array(32).fill(1) }] },
      },
    );
    const addresses = [first, second, toData(SENDER)];
    assert.deepEqual(await ask(service, "dev_accounts"), [
      { address: toData(SENDER), privateKey: `0x${"01".repeat(32)}` },
    ]);
    assert.deepEqual(await ask(service, "dev_findArtifacts", addresses), [null, null, null]);
    const name = await ask(service, "dev_addArtifact", { abi: [] }, first);
    assert.deepEqual(await ask(service, "dev_findArtifacts", addresses), [name, name, null]);
    // Code that creates a contract is data of another length.
    assert.deepEqual(await ask(service, "dev_findArtifacts", ["0x", "0x6001", first]), [null, null, name]);
    const unplaced = await ask(service, "dev_addArtifact", { abi: [], code: "0x6001" });
    assert.deepEqual(await ask(service, "dev_findArtifacts", ["0x6001"]), [unplaced]);
    assert.deepEqual(await ask(service, "dev_getArtifact", name.id), { abi: [] });
    assert.equal(await ask(service, "dev_getArtifact", "other"), null);
    await assert.rejects(ask(service, "dev_addArtifact", { abi: [] }, toData(SENDER)), INVALID);
    await assert.rejects(ask(service, "dev_addArtifact", {}, first), INVALID);
    for (const bad of [null, "abi", true]) await assert.rejects(ask(service, "dev_addArtifact", bad, first), INVALID);
    for (const bad of [null, {}, ["0xg"], [1.5], Array.from({ length: 201 }, () => first)]) {
      await assert.rejects(ask(service, "dev_findArtifacts", bad), INVALID);
    }
    for (const bad of [true, null, "x".repeat(101)])
      await assert.rejects(ask(service, "dev_getArtifact", bad), INVALID);
  });

  it("exist only where a developer has them", async () => {
    const service = apiOver(new FakeChain());
    for (const method of ["dev_accounts", "dev_findArtifacts", "dev_getArtifact", "dev_addArtifact"]) {
      await assert.rejects(ask(service, method), { code: -32601 });
    }
  });
});
