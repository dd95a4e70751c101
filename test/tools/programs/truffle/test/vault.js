const assert = require("node:assert/strict");

const Vault = artifacts.require("Vault");

contract("Vault", ([owner, other]) => {
  it("is deployed by the migration", async () => {
    const vault = await Vault.deployed();
    assert.equal(await vault.owner(), owner);
  });

  it("logs deposits", async () => {
    const vault = await Vault.deployed();
    const { logs, receipt } = await vault.deposit({ from: other, value: 7 });
    assert.equal(receipt.status, true);
    assert.equal(logs[0].event, "Deposited");
    assert.equal(logs[0].args.from, other);
    assert.equal(String(await vault.deposits(other)), "7");
    const events = await vault.getPastEvents("Deposited", { fromBlock: 0 });
    assert.deepEqual(
      events.map(({ args }) => String(args.amount)),
      ["7"],
    );
  });

  it("can be deployed by a test", async () => {
    const vault = await Vault.new(owner);
    assert.equal(String(await vault.deposits(other)), "0");
  });

  it("refuses with a reason", async () => {
    const vault = await Vault.deployed();
    await assert.rejects(vault.deposit({ from: other, value: 0 }), /nothing to deposit/);
  });
});

contract("Vault in another suite", ([, other]) => {
  it("is reverted between suites", async () => {
    const vault = await Vault.deployed();
    assert.equal(String(await vault.deposits(other)), "0");
  });
});
