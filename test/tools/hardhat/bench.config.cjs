/** For a Hardhat node of its own, which `npm run bench local` measures beside this one. */
module.exports = { solidity: "0.8.19", networks: { hardhat: { chainId: 31337 } } };
