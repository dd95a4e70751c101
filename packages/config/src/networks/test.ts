import { fromHex } from "@cambium/primitives";
import type { BridgeConfig, NetworkConfig } from "../network.js";
import {
  addresses,
  bridgeAccount,
  deployedWire,
  genesis,
  publishedState,
  reward,
  SEQUENTIAL_ONLY,
  union,
  unionAuthorizers,
} from "./builders.js";
import { testUpgrades } from "./upgrade-heights.js";

/** Parameters of the peg that the network `dev` shares: those of the same parent chain. */
export const testPeg = {
  parentConfirmations: 10,
  releaseConfirmations: 10,
  feeGapPercent: 80n,
  blocksBetweenPegOuts: 360,
  maxMigrationInputs: 50,
  pegOutIndexHeight: 2_590_993,
  validationPeriod: 2000,
  migration: { begin: 60, end: 900, endRskip357: 900 },
  oldFederationAddress: "2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu",
} satisfies Partial<BridgeConfig>;

/** The public test network, chain id 31. */
export const test: NetworkConfig = {
  name: "test",
  chainId: 31,
  networkId: 8100,
  deployedWire: deployedWire(50505, "testnet.rsk.co", 8),
  publishedState: publishedState(
    "https://import.testnet.rskcomputing.net/dbs/testnet/",
    "0437e3ab7b714831d84c75fa05752ef013947a00adfd6e088b75a7d9ff8e55430b10962e8b35a3bf74c9323c502022d64e7960526f68b903a50eb6f6096ebeb7ff",
    "04b39e3cf64a3889c41dac45fd42d280787a101786ffd574faa212ab66e0197c9bfd5cf4a36d0c0756cbcfd845ed470059391209e0bea3103a1e65fcea92fa4a7b",
    "04c64c11b9d9e68a60bd39f186bc1daa736d1330415fc285dccb0cfcff45dd054bf7701758051141b7718c67b20b4065d8a60a411db70221ff463b5b1cc27e6365",
  ),
  parentChain: "test",
  upgrades: testUpgrades,
  ruleHeights: { rskip97: -1, rskip132: 43550, rskip284: 2581800, rskip290: 2581800, rskip535: 7604200 },
  consensus: {
    blockDuration: 14,
    minimumDifficulty: 131072n,
    minimumDifficultyRskip290: 550_000_000n,
    fallbackMiningDifficulty: 14n * 10n ** 15n,
    difficultyDivisor: 50n,
    difficultyDivisorRskip156: 400n,
    validPeriod: 540,
    parentChainTimeWindow: 300,
    parentChainTimeWindowRskip297: 7200,
    minimumSequentialGas: 10_000_000,
    baseEventRequiredFrom: 7_800_000,
  },
  reward: reward(50, 10, "dabadabadabadabadabadabadabadabadaba0003"),
  bridge: {
    genesisFederation: {
      format: 1000,
      creationTimeMillis: 1538967600,
      creationBlock: 1,
      publicKeys: addresses(
        "02afc230c2d355b1a577682b07bc2646041b5d0177af0f98395a46018da699b6da",
        "0344a3c38cd59afcba3edcebe143e025574594b001700dec41e59409bdbd0f2a09",
        "034844a99cd7028aa319476674cc381df006628be71bc5593b8b5fdb32bb42ef85",
        "039a060badbeb24bee49eb2063f616c0f0f0765d4ca646b20a88ce828f259fcdb9",
      ),
    },
    emergency: {
      publicKeys: addresses(
        "0216c23b2ea8e4f11c3f9e22711addb1d16a93964796913830856b568cc3ea21d3",
        "034db69f2112f4fb1bb6141bf6e2bd6631f0484d0bd95b16767902c9fe219d4a6f",
        "0275562901dd8faae20de0a4166362a4f82188db77dbed4ca887422ea1ec185f14",
      ),
      activationDelay: 52560,
    },
    federationActivationAge: { initial: 60, rskip383: 120, rskip419: 2400 },
    authorizers: {
      federationChange: addresses(
        "5990aaedfccc88e2f7321a5b8d8db1f6e64abf03",
        "112140a53537b49788456daffda2e20efd1865cd",
        "5526529f386c4c77044f1c29bb965b37a7767c3d",
      ),
      feePerKb: addresses(
        "4502d34c8e889b2be7e1bfe1a645df8fa3f9204b",
        "f7d8befef29878e5c35fee23e6889ed88afb56b8",
        "9e472a8b3f3c95736b0b255db2b7ba38c687c751",
      ),
      lockingCap: addresses(
        "4502d34c8e889b2be7e1bfe1a645df8fa3f9204b",
        "f7d8befef29878e5c35fee23e6889ed88afb56b8",
        "9e472a8b3f3c95736b0b255db2b7ba38c687c751",
      ),
      whitelist: addresses("54fdb399cf235c9b0d464ab4055af9251883bbfe"),
      union: unionAuthorizers(
        "54fdb399cf235c9b0d464ab4055af9251883bbfe",
        "1a8109af0f019ed3045fbcdf45e5e90d6b6aafaf",
        "8db1f83e8119e4dce5bc708ec2f4390ffd910b19",
      ),
    },
    minimumPegIn: { initial: 1_000_000n, rskip219: 500_000n },
    minimumPegOut: { initial: 500_000n, rskip219: 250_000n },
    genesisFeePerKb: 100_000n,
    initialLockingCap: 20_000_000_000n,
    blockIndex: { activationHeight: 2039594, maxDepth: 4320 },
    union,
    ...testPeg,
  },
  genesis: genesis({
    gasLimit: 5_000_000,
    extraData: fromHex("434d272841"),
    stateRoot: fromHex("45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641"),
    accounts: [bridgeAccount],
  }),
  sequentialOnlyContracts: SEQUENTIAL_ONLY,
};
