const helpers = require("@nomicfoundation/hardhat-network-helpers");
const { expect } = require("chai");
const { ethers, network } = require("hardhat");

const { time } = helpers;
const ADDRESS = "0x00000000000000000000000000000000000a11ce";
const DAY = 86_400;

async function vaultFixture() {
  const [owner, other] = await ethers.getSigners();
  const token = await ethers.deployContract("Token", [1000n]);
  const vault = await ethers.deployContract("Vault", [token, (await time.latest()) + DAY], { value: 100n });
  return { owner, other, token, vault };
}

/** Tests every function of Hardhat's network-helpers once, by its effect. */
describe("network-helpers", () => {
  const height = () => ethers.provider.getBlockNumber();

  it("loadFixture", async () => {
    const first = await helpers.loadFixture(vaultFixture);
    await first.vault.setNumber(7n);
    const second = await helpers.loadFixture(vaultFixture);
    expect(await second.vault.getAddress()).to.equal(await first.vault.getAddress());
    expect(await second.vault.number()).to.equal(0n);
  });

  it("takeSnapshot", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    const snapshot = await helpers.takeSnapshot();
    for (const value of [1n, 2n]) {
      await vault.setNumber(value);
      expect(await vault.number()).to.equal(value);
      await snapshot.restore();
      expect(await vault.number()).to.equal(0n);
    }
  });

  it("mine", async () => {
    const before = await height();
    await helpers.mine();
    expect(await height()).to.equal(before + 1);
    await helpers.mine(1000);
    expect(await height()).to.equal(before + 1001);
  });

  it("mine with an interval", async () => {
    await helpers.mine();
    const [before, then] = [await height(), await time.latest()];
    await helpers.mine(10, { interval: 60 });
    const [first, last] = [await ethers.provider.getBlock(before + 1), await ethers.provider.getBlock(before + 10)];
    expect(last.timestamp - first.timestamp).to.equal(540);
    expect(first.timestamp).to.be.greaterThan(then);
  });

  it("mineUpTo", async () => {
    const target = (await height()) + 25;
    await helpers.mineUpTo(target);
    expect(await height()).to.equal(target);
    await expect(helpers.mineUpTo(target - 1)).to.be.rejectedWith(/Invalid block number/);
  });

  it("time.latest and time.latestBlock", async () => {
    const block = await ethers.provider.getBlock("latest");
    expect(await time.latest()).to.equal(block.timestamp);
    expect(await time.latestBlock()).to.equal(block.number);
  });

  it("time.increase", async () => {
    const before = await time.latest();
    const after = await time.increase(DAY);
    expect(after).to.be.within(before + DAY, before + DAY + 60);
    expect(await time.latest()).to.equal(after);
  });

  it("time.increaseTo", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    await expect(vault.withdraw()).to.be.revertedWith("locked");
    const target = Number(await vault.unlockTime());
    await time.increaseTo(target);
    expect(await time.latest()).to.equal(target);
    await expect(vault.withdraw()).not.to.be.reverted;
  });

  it("time.setNextBlockTimestamp", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    const target = (await time.latest()) + 2 * DAY;
    await time.setNextBlockTimestamp(target);
    await expect(vault.withdraw()).to.emit(vault, "Withdrawal").withArgs(100n, target);
  });

  it("time.setNextBlockTimestamp, which stays for the transaction after other settings", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    const target = (await time.latest()) + 2 * DAY;
    await time.setNextBlockTimestamp(target);
    await helpers.setBalance(ADDRESS, 1n);
    await helpers.setStorageAt(ADDRESS, 1, 2);
    await expect(vault.withdraw()).to.emit(vault, "Withdrawal").withArgs(100n, target);
  });

  it("setBalance", async () => {
    await helpers.setBalance(ADDRESS, ethers.parseEther("3"));
    expect(await ethers.provider.getBalance(ADDRESS)).to.equal(ethers.parseEther("3"));
    await helpers.setBalance(ADDRESS, 0);
    expect(await ethers.provider.getBalance(ADDRESS)).to.equal(0n);
  });

  it("setCode", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    const code = await ethers.provider.getCode(vault);
    await helpers.setCode(ADDRESS, code);
    expect(await ethers.provider.getCode(ADDRESS)).to.equal(code);
    const copy = vault.attach(ADDRESS);
    await copy.setNumber(3n);
    expect(await copy.number()).to.equal(3n);
    await helpers.setCode(ADDRESS, "0x");
    expect(await ethers.provider.getCode(ADDRESS)).to.equal("0x");
  });

  it("setNonce", async () => {
    const account = ethers.Wallet.createRandom().address;
    await helpers.setNonce(account, 12);
    expect(await ethers.provider.getTransactionCount(account)).to.equal(12);
    await expect(helpers.setNonce(account, 11)).to.be.rejectedWith(/smaller/);
  });

  it("setStorageAt and getStorageAt", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    await helpers.setStorageAt(await vault.getAddress(), 1, 77);
    expect(await vault.number()).to.equal(77n);
    expect(BigInt(await helpers.getStorageAt(await vault.getAddress(), 1))).to.equal(77n);
  });

  it("setCoinbase", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    await helpers.setCoinbase(ADDRESS);
    await helpers.mine();
    const [, , coinbase] = await vault.surroundings();
    expect(coinbase).to.equal(ethers.getAddress(ADDRESS));
  });

  it("setBlockGasLimit", async () => {
    const limit = (await ethers.provider.getBlock("latest")).gasLimit;
    await helpers.setBlockGasLimit(12_345_678);
    await helpers.mine();
    expect((await ethers.provider.getBlock("latest")).gasLimit).to.equal(12_345_678n);
    await helpers.setBlockGasLimit(limit);
    await helpers.mine();
  });

  it("setNextBlockBaseFeePerGas", async () => {
    await helpers.setNextBlockBaseFeePerGas(2_000_000_000n);
    await helpers.mine();
    expect((await ethers.provider.getBlock("latest")).baseFeePerGas).to.equal(2_000_000_000n);
  });

  it("setPrevRandao", async () => {
    const { vault } = await helpers.loadFixture(vaultFixture);
    await helpers.setPrevRandao(1234567890);
    await helpers.mine();
    expect(await vault.randomness({ blockTag: "latest" })).to.equal(1234567890n);
  });

  it("impersonateAccount and stopImpersonatingAccount", async () => {
    const { token, vault, other } = await helpers.loadFixture(vaultFixture);
    const address = await vault.getAddress();
    await token.transfer(vault, 10n);
    await helpers.setBalance(address, ethers.parseEther("1"));
    await helpers.impersonateAccount(address);
    const signer = await ethers.getSigner(address);
    await expect(token.connect(signer).transfer(other, 4n)).to.changeTokenBalances(token, [vault, other], [-4n, 4n]);
    await helpers.stopImpersonatingAccount(address);
    await expect(token.connect(signer).transfer(other, 4n)).to.be.rejected;
  });

  it("dropTransaction", async () => {
    const [from] = await ethers.getSigners();
    await network.provider.send("evm_setAutomine", [false]);
    try {
      const { hash } = await from.sendTransaction({ to: ADDRESS, value: 1n });
      expect(await helpers.dropTransaction(hash)).to.equal(true);
      await helpers.mine();
      expect(await ethers.provider.getTransactionReceipt(hash)).to.equal(null);
    } finally {
      await network.provider.send("evm_setAutomine", [true]);
    }
  });

  it("several transactions in a block", async () => {
    const [from, to] = await ethers.getSigners();
    const before = await ethers.provider.getBalance(to);
    await network.provider.send("evm_setAutomine", [false]);
    const sent = [];
    for (let i = 0; i < 5; i++) sent.push(await from.sendTransaction({ to, value: 10n, gasLimit: 21_000n }));
    await helpers.mine();
    await network.provider.send("evm_setAutomine", [true]);
    const receipts = await Promise.all(sent.map(({ hash }) => ethers.provider.getTransactionReceipt(hash)));
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).to.equal(1);
    expect(receipts.map(({ index }) => index)).to.deep.equal([0, 1, 2, 3, 4]);
    expect(await ethers.provider.getBalance(to)).to.equal(before + 50n);
  });

  it("reset", async () => {
    await helpers.mine(3);
    await helpers.reset();
    expect(await height()).to.equal(0);
    const { vault } = await helpers.loadFixture(vaultFixture);
    expect(await vault.number()).to.equal(0n);
  });
});
