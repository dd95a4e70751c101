const { createRequire } = require("node:module");
const { join } = require("node:path");

/**
 * The suite's own configuration, with the chain to run on, the compiler of the npm package, and a report. Gas is
 * estimated, or fixed as on the network within Hardhat, for which the suite was written.
 */
const { OPENZEPPELIN_CONTRACTS: root, NODE_URL, GAS, REPORT } = process.env;
const inSuite = createRequire(join(root, "package.json"));

inSuite("hardhat/config").subtask("compile:solidity:solc:get-build", async () => ({
  compilerPath: require.resolve("solc/soljson.js"),
  isSolcJs: true,
  version: require("solc/package.json").version,
  longVersion: require("solc").version(),
}));

const config = inSuite("./hardhat.config.js");
module.exports = {
  ...config,
  paths: { ...config.paths, root },
  networks: {
    ...config.networks,
    localhost: { url: NODE_URL ?? "http://127.0.0.1:4444", timeout: 600_000, gas: GAS ? Number(GAS) : "auto" },
  },
  mocha: { ...config.mocha, reporter: "json", reporterOptions: { output: REPORT } },
};
