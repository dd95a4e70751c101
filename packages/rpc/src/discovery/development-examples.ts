import type { Example } from "./examples.js";

const CONTRACT = "0x77045e71a7a2c50903d88e564cd72fab11e82051";

const HASH = "0xabababababababababababababababababababababababababababababababab";

const one = (result: unknown, ...params: readonly unknown[]): readonly Example[] => [{ params, result }];

/** Examples of the methods for tools of developers, which change the chain; tests check their form. */
export const DEVELOPMENT_EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  evm_mine: one(null),
  hardhat_mine: one(true, "0x100", "0x3c"),
  hardhat_getAutomine: one(true),
  evm_setAutomine: one(true, false),
  evm_setIntervalMining: one(true, 5000),
  anvil_setIntervalMining: one(null, 5),
  evm_setBlockGasLimit: one(true, "0x1c9c380"),
  hardhat_setMinGasPrice: one(true, "0x3938700"),
  hardhat_setCoinbase: one(true, "0x77045e71a7a2c50903d88e564cd72fab11e82051"),
  evm_increaseTime: one("0x3c", 60),
  evm_setNextBlockTimestamp: one("1900000000", 1_900_000_000),
  evm_setTime: one(86_400, 1_900_000_000),
  anvil_setBlockTimestampInterval: one(null, 30),
  hardhat_setBlockTimestampInterval: one(true, 30_000),
  anvil_removeBlockTimestampInterval: one(true),
  hardhat_setNextBlockBaseFeePerGas: one(true, "0x0"),
  hardhat_setPrevRandao: one(true, "0x1"),
  evm_snapshot: one("0x1"),
  evm_revert: one(true, "0x1"),
  evm_reset: one(null),
  evm_startMining: one(null),
  evm_stopMining: one(null),
  hardhat_setBalance: one(true, CONTRACT, "0xde0b6b3a7640000"),
  hardhat_setCode: one(true, CONTRACT, "0x604260006000a100"),
  hardhat_setNonce: one(true, CONTRACT, "0x10"),
  evm_setAccountNonce: one(true, CONTRACT, "0x1"),
  hardhat_setStorageAt: one(true, CONTRACT, "0x0", `0x${"2a".padStart(64, "0")}`),
  hardhat_impersonateAccount: one(true, CONTRACT),
  hardhat_stopImpersonatingAccount: one(true, CONTRACT),
  hardhat_autoImpersonateAccount: one(true, true),
  eth_sendUnsignedTransaction: one(HASH, { from: CONTRACT, to: CONTRACT, gas: "0x5208", value: "0x1" }),
  hardhat_dropTransaction: one(true, HASH),
  anvil_dropTransaction: one(HASH, HASH),
  hardhat_dropAllTransactions: one(true),
  hardhat_reset: one(true),
  anvil_rollback: one(null, 3),
  anvil_reorg: one(null, 3, []),
  hardhat_metadata: one({
    clientVersion: "Cambium/0.1.0/linux-x64/node20.19.0/RELEASE-0.1.0",
    chainId: 33,
    instanceId: HASH,
    latestBlockNumber: 2,
    latestBlockHash: HASH,
  }),
  anvil_nodeInfo: one({
    currentBlockNumber: "0x2",
    currentBlockTimestamp: 1_700_000_000,
    currentBlockHash: HASH,
    hardFork: "cancun",
    transactionOrder: "fees",
    environment: { baseFee: 0, chainId: 33, gasLimit: 10_000_000, gasPrice: 0 },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
  }),
  hardhat_setLoggingEnabled: one(true, false),
  anvil_enableTraces: one(null),
  anvil_dumpState: one("0x1f8b0800000000000003ab564a4c4ece2fcd2b2956b2aaae0500fd3c5d6710000000"),
  anvil_loadState: one(true, "0x1f8b0800000000000003ab564a4c4ece2fcd2b2956b2aaae0500fd3c5d6710000000"),
};
