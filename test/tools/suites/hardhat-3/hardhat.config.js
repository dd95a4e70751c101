import { createRequire } from "node:module";
import ethersPlugin from "@nomicfoundation/hardhat-ethers";
import networkHelpers from "@nomicfoundation/hardhat-network-helpers";
import viemPlugin from "@nomicfoundation/hardhat-viem";

const { resolve } = createRequire(import.meta.url);

/** Uses the compiler of the npm package, because Hardhat would download one. The test sets the node's URL. */
export default {
  plugins: [ethersPlugin, viemPlugin, networkHelpers],
  solidity: { version: "0.8.35", path: resolve("solc/soljson.js"), settings: { evmVersion: "cancun" } },
  networks: { other: { type: "http", chainType: "l1", url: process.env.NODE_URL ?? "http://127.0.0.1:4444" } },
};
