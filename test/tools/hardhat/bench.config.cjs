/** Configuration of a separate Hardhat node, which `npm run bench local` measures next to this one. */
module.exports = { solidity: "0.8.19", networks: { hardhat: { chainId: 31337 } } };
