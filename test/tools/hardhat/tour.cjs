const assert = require("node:assert/strict");
const { ethers, network } = require("hardhat");

/**
 * Performs typical work of contract projects' scripts, with the artifact `Counter`, on the network that the command
 * names.
 */
async function main() {
  const [signer] = await ethers.getSigners();
  const counter = await ethers.deployContract("Counter");
  await counter.waitForDeployment();
  for (const amount of [5, 37]) {
    const receipt = await (await counter.add(amount)).wait();
    assert.equal(receipt.status, 1);
  }
  assert.equal(await counter.total(), 42n);
  const events = await counter.queryFilter("Added", 0);
  assert.deepEqual(
    events.map(({ args }) => args.total),
    [5n, 42n],
  );
  await assert.rejects(counter.add.staticCall(101), /too much/);
  await assert.rejects(counter.add(101), /too much/);

  const to = ethers.Wallet.createRandom().address;
  await (await signer.sendTransaction({ to, value: ethers.parseEther("1.5") })).wait();
  assert.equal(await ethers.provider.getBalance(to), ethers.parseEther("1.5"));

  // Tests of contracts revert to their starting point.
  const snapshot = await network.provider.send("evm_snapshot", []);
  await (await counter.add(1)).wait();
  assert.equal(await counter.total(), 43n);
  assert.equal(await network.provider.send("evm_revert", [snapshot]), true);
  assert.equal(await counter.total(), 42n);

  const attached = await ethers.getContractAt("Counter", await counter.getAddress());
  assert.equal(await attached.total(), 42n);
  console.log(JSON.stringify({ counter: await counter.getAddress(), signer: signer.address }));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
