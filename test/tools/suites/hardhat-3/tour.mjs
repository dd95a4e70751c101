import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { network } from "hardhat";

const connection = await network.connect({ network: "other" });
const { ethers, viem, networkHelpers: helpers, provider } = connection;
const { time } = helpers;
const { equal, deepEqual, rejects } = assert;

const ADDRESS = "0x00000000000000000000000000000000000a11ce";
const OTHER = "0x00000000000000000000000000000000000b0b00";
const DAY = 86_400;

async function fixture() {
  const [owner, other] = await ethers.getSigners();
  const token = await ethers.deployContract("Token", [1000n]);
  const unlockTime = (await time.latest()) + DAY;
  const vault = await ethers.deployContract("Vault", [await token.getAddress(), unlockTime], { value: 100n });
  return { owner, other, token, vault };
}
async function viemVault() {
  const token = await viem.deployContract("Token", [1000n]);
  return viem.deployContract("Vault", [token.address, 0n], { value: 100n });
}
const height = () => ethers.provider.getBlockNumber();
const latest = () => ethers.provider.getBlock("latest");

function rejection(work) {
  return work.then(
    () => assert.fail("it did not fail"),
    (error) => error,
  );
}

/** The name of the contract's error that viem has decoded. */
async function decodedError(work) {
  const error = await rejection(work);
  return error.walk((one) => one.data?.errorName !== undefined)?.data.errorName;
}

/** Functions of Hardhat 3 and its plug-ins for ethers, viem and network helpers, used once each with a node. */
const tests = {
  "ethers: deploys, sends and reads": async () => {
    const { vault } = await fixture();
    equal((await (await vault.setNumber(42n)).wait()).status, 1);
    equal(await vault.number(), 42n);
  },
  "ethers: finds events": async () => {
    const { vault } = await fixture();
    await (await vault.announce("Ada", "0x1234")).wait();
    equal((await vault.queryFilter("Named")).length, 1);
  },
  "ethers: has the data of a custom error": async () => {
    const { token, other } = await fixture();
    const { transfer } = token.connect(other);
    for (const method of [transfer, transfer.staticCall, transfer.estimateGas]) {
      const { data } = await rejection(method(ADDRESS, 1n));
      equal(token.interface.parseError(data)?.name, "InsufficientBalance");
    }
  },
  "ethers: reports the reason of a revert": async () => {
    const { vault } = await fixture();
    await rejects(vault.withdraw(), /locked/);
  },
  "viem: deploys, sends and reads": async () => {
    const vault = await viemVault();
    const client = await viem.getPublicClient();
    const { status } = await client.waitForTransactionReceipt({ hash: await vault.write.setNumber([5n]) });
    deepEqual([status, await vault.read.number()], ["success", 5n]);
  },
  "viem: finds events": async () => {
    const vault = await viemVault();
    await vault.write.announce(["Ada", "0x1234"]);
    equal((await vault.getEvents.Named()).length, 1);
  },
  "viem: decodes a custom error": async () => {
    const token = await viem.deployContract("Token", [1000n]);
    const [, other] = await viem.getWalletClients();
    const options = { account: other.account };
    const { simulate, estimateGas, write } = token;
    for (const method of [simulate.transfer, estimateGas.transfer, write.transfer]) {
      equal(await decodedError(method([ADDRESS, 1n], options)), "InsufficientBalance");
    }
    const sent = write.transfer([ADDRESS, 1n], { ...options, gas: 100_000n });
    equal(await decodedError(sent), "InsufficientBalance");
  },
  "viem: has the accounts of the node": async () => assert((await viem.getWalletClients()).length >= 10),
  "viem: mines as a test client": async () => {
    const before = await height();
    await (await viem.getTestClient()).mine({ blocks: 2 });
    equal(await height(), before + 2);
  },
  "helpers mine": async () => {
    const before = await height();
    await helpers.mine(10, { interval: 60 });
    equal(await height(), before + 10);
  },
  "helpers mineUpTo": async () => {
    const target = (await height()) + 5;
    await helpers.mineUpTo(target);
    equal(await height(), target);
  },
  "helpers setBalance": async () => {
    await helpers.setBalance(ADDRESS, 10n ** 20n);
    equal(await ethers.provider.getBalance(ADDRESS), 10n ** 20n);
  },
  "helpers setCode": async () => {
    await helpers.setCode(OTHER, "0x6001");
    equal(await ethers.provider.getCode(OTHER), "0x6001");
  },
  "helpers setNonce": async () => {
    const { address } = ethers.Wallet.createRandom();
    await helpers.setNonce(address, 5);
    equal(await ethers.provider.getTransactionCount(address), 5);
  },
  "helpers setStorageAt and getStorageAt": async () => {
    const { vault } = await fixture();
    const address = await vault.getAddress();
    await helpers.setStorageAt(address, 1, 7);
    equal(await vault.number(), 7n);
    equal(BigInt(await helpers.getStorageAt(address, 1)), 7n);
  },
  "helpers impersonateAccount and stopImpersonatingAccount": async () => {
    const { token, vault, other } = await fixture();
    const address = await vault.getAddress();
    await (await token.transfer(address, 10n)).wait();
    await helpers.setBalance(address, 10n ** 18n);
    await helpers.impersonateAccount(address);
    await (await token.connect(await ethers.getSigner(address)).transfer(other.address, 4n)).wait();
    equal(await token.balanceOf(other.address), 4n);
    await helpers.stopImpersonatingAccount(address);
    await rejects(provider.request({ method: "eth_sendTransaction", params: [{ from: address, to: OTHER }] }));
  },
  "helpers takeSnapshot": async () => {
    const { vault } = await fixture();
    const snapshot = await helpers.takeSnapshot();
    await (await vault.setNumber(1n)).wait();
    await snapshot.restore();
    equal(await vault.number(), 0n);
  },
  "helpers loadFixture": async () => {
    const first = await helpers.loadFixture(fixture);
    await (await first.vault.setNumber(7n)).wait();
    const second = await helpers.loadFixture(fixture);
    equal(await second.vault.getAddress(), await first.vault.getAddress());
    equal(await second.vault.number(), 0n);
  },
  "helpers clearSnapshots": async () => helpers.clearSnapshots(),
  "helpers time.increase": async () => {
    const before = await time.latest();
    assert((await time.increase(DAY)) >= before + DAY);
  },
  "helpers time.increaseTo": async () => {
    const { vault } = await fixture();
    await time.increaseTo(await vault.unlockTime());
    equal((await (await vault.withdraw()).wait()).status, 1);
  },
  "helpers time.latestBlock": async () => equal(await time.latestBlock(), await height()),
  "helpers time.setNextBlockTimestamp": async () => {
    const target = (await time.latest()) + 50;
    await time.setNextBlockTimestamp(target);
    await helpers.mine();
    equal(await time.latest(), target);
  },
  "helpers setCoinbase": async () => {
    await helpers.setCoinbase(ADDRESS);
    await helpers.mine();
    equal((await latest()).miner, ethers.getAddress(ADDRESS));
  },
  "helpers setBlockGasLimit": async () => {
    const { gasLimit } = await latest();
    await helpers.setBlockGasLimit(20_000_000);
    await helpers.mine();
    equal((await latest()).gasLimit, 20_000_000n);
    await helpers.setBlockGasLimit(gasLimit);
  },
  "helpers dropTransaction": async () => {
    const [from] = await ethers.getSigners();
    await provider.request({ method: "evm_setAutomine", params: [false] });
    try {
      const { hash } = await from.sendTransaction({ to: OTHER, value: 1n });
      equal(await helpers.dropTransaction(hash), true);
    } finally {
      await provider.request({ method: "evm_setAutomine", params: [true] });
    }
  },
  "helpers setNextBlockBaseFeePerGas": async () => {
    await helpers.setNextBlockBaseFeePerGas(2_000_000_000n);
    await helpers.mine();
    equal((await latest()).baseFeePerGas, 2_000_000_000n);
  },
  "helpers setPrevRandao": async () => {
    const { vault } = await fixture();
    await helpers.setPrevRandao(1234567890);
    await helpers.mine();
    equal(await vault.randomness({ blockTag: "latest" }), 1234567890n);
  },
};

const passed = [];
const failed = [];
for (const [test, run] of Object.entries(tests)) {
  try {
    await run();
    passed.push(test);
  } catch (error) {
    failed.push({ test, why: error.message });
  }
}
writeFileSync(process.env.REPORT, JSON.stringify({ passed, failed }));
