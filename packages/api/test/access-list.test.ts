import assert from "node:assert/strict";
import { fromHex, toData, toHex, toQuantity } from "@cambium/primitives";
import { COUNTER, callerOf, LOOP, REVERTER, SENDER } from "@cambium/test-utils/api/real-chain";
import { openOver, type RealApi } from "./support/real-api.js";

const from = toData(SENDER);
const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`;

describe("eth_createAccessList", () => {
  let service: RealApi;
  const at: Record<string, string> = {};
  const list = (members: object, ...more: unknown[]) =>
    service.call("eth_createAccessList", { from, ...members }, ...more);

  before(async () => {
    service = await openOver();
    const { real } = service;
    for (const [name, code] of Object.entries({ COUNTER, LOOP, REVERTER })) at[name] = toData(real.deploy(code));
    await real.mine();
    at.caller = toData(real.deploy(callerOf(fromHex(at.COUNTER!.slice(2)))));
    await real.mine();
  });

  it("lists cells of the called contract, and contracts that it calls with their cells", async () => {
    assert.deepEqual((await list({ to: at.COUNTER })).accessList, [{ address: at.COUNTER, storageKeys: [word(0)] }]);
    assert.deepEqual((await list({ to: at.caller })).accessList, [{ address: at.COUNTER, storageKeys: [word(0)] }]);
    assert.deepEqual((await list({ to: from })).accessList, []);
  });

  it("lists accounts whose balance or code is read, but neither sender, receiver nor native contracts", async () => {
    const other = "ab".repeat(20);
    const addresses = [other, at.COUNTER!.slice(2), from.slice(2), toHex(new Uint8Array(19)).concat("04")];
    const code = `0x${addresses.map((address) => `73${address}3150`).join("")}73${other}3b5000`;
    const { accessList } = await list({ to: `0x${"cc".repeat(20)}` }, "latest", { [`0x${"cc".repeat(20)}`]: { code } });
    const expected = [`0x${other}`, at.COUNTER].map((address) => ({ address, storageKeys: [] }));
    assert.deepEqual(accessList, expected);
  });

  it("says what gas a transaction uses, and why the call fails", async () => {
    const { real } = service;
    const { gasUsed } = await list({ to: at.caller });
    const transaction = real.send({ to: fromHex(at.caller!.slice(2)) });
    await real.mine();
    const receipt = await service.call("eth_getTransactionReceipt", toData(transaction.hash));
    assert.equal(gasUsed, receipt.gasUsed);
    assert.equal((await list({ to: at.REVERTER })).error, "execution reverted");
    assert.equal((await list({ to: at.LOOP, gas: "0x10000" })).error, "out of gas");
    assert.equal((await list({ to: at.LOOP, gas: "0x10000" })).gasUsed, toQuantity(0x10000));
    await assert.rejects(list({ to: at.LOOP, gas: "0x1" }), { code: -32000, message: "intrinsic gas too low" });
    await assert.rejects(list({ to: at.LOOP }, "0x99"), { code: -32600 });
  });
});
