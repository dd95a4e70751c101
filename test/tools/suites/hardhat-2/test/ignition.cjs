const { execFileSync } = require("node:child_process");
const { readFileSync, rmSync } = require("node:fs");
const { join } = require("node:path");
const { buildModule } = require("@nomicfoundation/hardhat-ignition/modules");
const { expect } = require("chai");
const hre = require("hardhat");
const vaultModule = require("../ignition/modules/Vault.cjs");

const { ethers, ignition } = hre;

/** Tests Hardhat Ignition, within tests and as a command. */
describe("ignition", () => {
  it("deploys contracts that need each other", async () => {
    const { token, vault } = await ignition.deploy(vaultModule, { parameters: { Vault: { supply: 500n } } });
    expect(await vault.token()).to.equal(await token.getAddress());
    expect(await token.totalSupply()).to.equal(500n);
    expect(await vault.number()).to.equal(10n);
    expect(await ethers.provider.getBalance(vault)).to.equal(8n);
  });

  it("reports a deployment that fails", async () => {
    const failing = buildModule("Failing", (module) => {
      const token = module.contract("Token", [1n]);
      module.call(token, "transfer", [module.getAccount(1), 2n]);
      return { token };
    });
    await expect(ignition.deploy(failing)).to.be.rejectedWith(/InsufficientBalance/);
  });

  it("command: ignition deploy, and again, which deploys nothing", async () => {
    const id = `of-${Date.now()}`;
    const folder = join(hre.config.paths.ignition, "deployments", id);
    try {
      const module = join(__dirname, "..", "ignition", "modules", "Vault.cjs");
      const deploy = () => hardhat("ignition", "deploy", module, "--deployment-id", id, "--network", hre.network.name);
      expect(deploy()).to.include("successfully deployed");
      const addresses = JSON.parse(readFileSync(join(folder, "deployed_addresses.json"), "utf8"));
      const vault = await ethers.getContractAt("Vault", addresses["Vault#Vault"]);
      expect(await vault.number()).to.equal(10n);
      const height = await ethers.provider.getBlockNumber();
      expect(deploy()).to.include("Nothing new to deploy");
      expect(await ethers.provider.getBlockNumber()).to.equal(height);
      expect(hardhat("ignition", "status", id)).to.include("was successful");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function hardhat(...args) {
  const command = [join(require.resolve("hardhat/package.json"), "..", "internal", "cli", "bootstrap.js"), ...args];
  const config = ["--config", hre.config.paths.configFile];
  // A deployment to a chain with another id than 31337 otherwise waits for a confirmation.
  const env = { ...process.env, HARDHAT_IGNITION_CONFIRM_DEPLOYMENT: "true" };
  return execFileSync(process.execPath, [...command, ...config], { env, encoding: "utf8", stdio: "pipe" });
}
