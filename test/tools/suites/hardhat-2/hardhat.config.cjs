require("@nomicfoundation/hardhat-chai-matchers");
require("@nomicfoundation/hardhat-ethers");
require("@nomicfoundation/hardhat-ignition-ethers");
const { subtask } = require("hardhat/config");

const { NODE_URL, REPORT } = process.env;

// The compiler of the npm package, because Hardhat would download one.
subtask("compile:solidity:solc:get-build", async () => ({
  compilerPath: require.resolve("solc/soljson.js"),
  isSolcJs: true,
  version: require("solc/package.json").version,
  longVersion: require("solc").version(),
}));

/** The test sets the node's URL and the path of the report. */
module.exports = {
  solidity: { version: require("solc/package.json").version, settings: { evmVersion: "cancun" } },
  networks: { other: { url: NODE_URL ?? "http://127.0.0.1:4444" } },
  mocha: REPORT === undefined ? {} : { reporter: "json", reporterOptions: { output: REPORT } },
};
