const { loadFixture, mine } = require("@nomicfoundation/hardhat-network-helpers");
const { anyUint, anyValue } = require("@nomicfoundation/hardhat-chai-matchers/withArgs");
const { PANIC_CODES } = require("@nomicfoundation/hardhat-chai-matchers/panic");
const { expect } = require("chai");
const { ethers, network } = require("hardhat");

async function fixture() {
  const [owner, other, third] = await ethers.getSigners();
  const token = await ethers.deployContract("Token", [1000n]);
  const vault = await ethers.deployContract("Vault", [token, 0], { value: 100n });
  return { owner, other, third, token, vault };
}

/** Tests every matcher of Hardhat's chai matchers: that it holds, and that its opposite is detected. */
describe("chai matchers", () => {
  let owner;
  let other;
  let third;
  let token;
  let vault;
  beforeEach(async () => {
    ({ owner, other, third, token, vault } = await loadFixture(fixture));
  });
  const fails = (assertion, why) => expect(assertion).to.be.rejectedWith(why);

  it("emit", async () => {
    await expect(token.transfer(other, 5n)).to.emit(token, "Transfer");
    await fails(expect(vault.setNumber(1n)).to.emit(token, "Transfer"), /to be emitted, but it wasn't/);
    await expect(vault.setNumber(2n)).not.to.emit(token, "Transfer");
  });

  it("withArgs", async () => {
    await expect(token.transfer(other, 5n)).to.emit(token, "Transfer").withArgs(owner, other, 5n);
    await expect(token.transfer(other, 5n)).to.emit(token, "Transfer").withArgs(anyValue, other, anyUint);
    await expect(vault.announce("Ada", "0x1234")).to.emit(vault, "Named").withArgs("Ada", "0x1234");
    const wrong = expect(token.transfer(other, 5n)).to.emit(token, "Transfer").withArgs(owner, other, 6n);
    await fails(wrong, /to equal 6/);
  });

  it("reverted", async () => {
    await expect(vault.failSilently()).to.be.reverted;
    await expect(vault.setNumber(1n)).not.to.be.reverted;
    await fails(expect(vault.setNumber(1n)).to.be.reverted, /to be reverted/);
    await fails(expect(vault.failSilently()).not.to.be.reverted, /NOT to be reverted/);
  });

  it("reverted, by the hash of a mined transaction", async () => {
    const data = vault.interface.encodeFunctionData("failSilently");
    await network.provider.send("evm_setAutomine", [false]);
    const { hash } = await owner.sendTransaction({ to: vault, data, gasLimit: 100_000n });
    await mine();
    await network.provider.send("evm_setAutomine", [true]);
    await expect(hash).to.be.reverted;
  });

  it("revertedWith", async () => {
    const late = await ethers.deployContract("Vault", [token, 2n ** 40n]);
    await expect(late.withdraw()).to.be.revertedWith("locked");
    await expect(late.withdraw()).to.be.revertedWith(/^lock/);
    await expect(late.withdraw.staticCall()).to.be.revertedWith("locked");
    await expect(late.withdraw.estimateGas()).to.be.revertedWith("locked");
    await fails(expect(late.withdraw()).to.be.revertedWith("opened"), /reverted with reason 'locked'/);
    await fails(expect(vault.failSilently()).to.be.revertedWith("locked"), /without a reason/);
  });

  it("revertedWithCustomError", async () => {
    const transfer = () => token.connect(other).transfer(owner, 3n);
    await expect(transfer()).to.be.revertedWithCustomError(token, "InsufficientBalance");
    await expect(transfer()).to.be.revertedWithCustomError(token, "InsufficientBalance").withArgs(other, 0n, 3n);
    await expect(vault.failSilently()).not.to.be.revertedWithCustomError(token, "InsufficientBalance");
  });

  it("revertedWithPanic", async () => {
    await expect(vault.divide(0n)).to.be.revertedWithPanic();
    await expect(vault.divide(0n)).to.be.revertedWithPanic(PANIC_CODES.DIVISION_BY_ZERO);
    await fails(expect(vault.divide(0n)).to.be.revertedWithPanic(1), /reverted with panic code 0x12/);
  });

  it("revertedWithoutReason", async () => {
    await expect(vault.failSilently()).to.be.revertedWithoutReason();
    await fails(expect(vault.divide(0n)).to.be.revertedWithoutReason(), /reverted with panic code/);
  });

  it("changeEtherBalance", async () => {
    await expect(() => owner.sendTransaction({ to: other, value: 9n })).to.changeEtherBalance(other, 9n);
    await expect(owner.sendTransaction({ to: other, value: 9n })).to.changeEtherBalance(owner, -9n);
    await expect(vault.withdraw()).to.changeEtherBalance(vault, -100n);
    await fails(expect(vault.setNumber(1n)).to.changeEtherBalance(vault, 1n), /to change by 1/);
  });

  it("changeEtherBalance with the fee", async () => {
    const sending = owner.sendTransaction({ to: other, value: 9n, gasPrice: 2_000_000_000n, gasLimit: 21_000n });
    const options = { includeFee: true };
    await expect(sending).to.changeEtherBalance(owner, -9n - 21_000n * 2_000_000_000n, options);
  });

  it("changeEtherBalances", async () => {
    const sending = owner.sendTransaction({ to: other, value: 9n });
    await expect(sending).to.changeEtherBalances([owner, other, third], [-9n, 9n, 0n]);
    await expect(vault.withdraw()).to.changeEtherBalances([vault, owner], [-100n, 100n]);
    const wrong = expect(owner.sendTransaction({ to: other, value: 9n })).to.changeEtherBalances(
      [owner, other],
      [-9, 8],
    );
    await fails(wrong, /to change by 8/);
  });

  it("balances, with several transactions in a block", async () => {
    await network.provider.send("evm_setAutomine", [false]);
    const sent = [];
    for (let i = 0; i < 2; i++) sent.push(await owner.sendTransaction({ to: other, value: 9n, gasLimit: 21_000n }));
    await token.transfer(other, 5n, { gasLimit: 100_000n });
    await mine();
    await network.provider.send("evm_setAutomine", [true]);
    await expect(sent[0]).to.changeEtherBalances([other, third], [18n, 0n]);
    await fails(expect(sent[0]).to.changeEtherBalance(other, 18n), /Multiple transactions found in block/);
    await fails(expect(sent[0]).to.changeTokenBalances(token, [other], [5n]), /Multiple transactions found in block/);
  });

  it("changeTokenBalance", async () => {
    await expect(token.transfer(other, 5n)).to.changeTokenBalance(token, other, 5n);
    await fails(expect(token.transfer(other, 5n)).to.changeTokenBalance(token, other, 6n), /to change by 6/);
  });

  it("changeTokenBalances", async () => {
    await expect(token.transfer(other, 5n)).to.changeTokenBalances(token, [owner, other, third], [-5n, 5n, 0n]);
    await expect(() => token.transfer(other, 5n)).to.changeTokenBalances(token, [owner], [-5n]);
  });

  it("several events of one transaction", async () => {
    await expect(token.transfer(other, 5n))
      .to.emit(token, "Transfer")
      .withArgs(owner, other, 5n)
      .and.to.emit(token, "Transfer");
    await fails(
      expect(token.transfer(other, 5n)).to.emit(token, "Transfer").and.to.emit(vault, "Withdrawal"),
      /Expected event "Withdrawal" to be emitted/,
    );
  });

  it("properAddress, properHex, properPrivateKey and hexEqual", async () => {
    expect(await vault.getAddress()).to.be.a.properAddress;
    expect((await vault.setNumber(1n)).hash).to.be.properHex(64);
    expect(ethers.Wallet.createRandom().privateKey).to.be.a.properPrivateKey;
    expect(await ethers.provider.send("eth_chainId", [])).to.hexEqual(
      ethers.toBeHex((await ethers.provider.getNetwork()).chainId, 32),
    );
  });

  it("numbers of all kinds", async () => {
    expect(await token.totalSupply()).to.equal(1000);
    expect(await token.totalSupply())
      .to.be.greaterThan("999")
      .and.to.be.within(1000n, 1001);
    expect([await token.totalSupply()]).to.deep.equal([1000n]);
  });
});
