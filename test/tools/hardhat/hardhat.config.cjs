require("@nomicfoundation/hardhat-ethers");

/** The test sets the node's URL, the signing key and the folder of the artifacts. */
module.exports = {
  solidity: "0.8.19",
  networks: { cambium: { url: process.env.NODE_URL, accounts: [process.env.PRIVATE_KEY] } },
  paths: { artifacts: process.env.ARTIFACTS },
};
