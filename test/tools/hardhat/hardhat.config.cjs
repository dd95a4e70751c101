require("@nomicfoundation/hardhat-ethers");

/** Where the node is, whose key signs and where the artifacts are comes from the test. */
module.exports = {
  solidity: "0.8.19",
  networks: { cambium: { url: process.env.NODE_URL, accounts: [process.env.PRIVATE_KEY] } },
  paths: { artifacts: process.env.ARTIFACTS },
};
