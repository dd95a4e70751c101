/** Floors of the packages, from the lowest. A package imports packages of lower floors only. */
export const FLOORS: readonly (readonly string[])[] = [
  ["primitives", "dashboard"],
  ["config", "database", "trie"],
  ["types", "merged-mining"],
  ["state"],
  ["evm", "contracts", "bridge", "chain-store"],
  ["fork", "rlpx"],
  ["chain"],
  ["accounts", "txpool", "miner", "networking"],
  ["sync", "api", "replication"],
  ["rpc"],
  ["node", "feed", "chain-maintenance"],
  ["conformance", "dev"],
  ["cli", "hardhat"],
];

/** Packages outside the floors: they import any package. Packages on a floor import them in tests only. */
export const SIDE: readonly string[] = ["test-utils"];
