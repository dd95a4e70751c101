import { fromHex } from "@cambium/primitives";
import type { NetworkConfig } from "../network.js";
import { accounts, bridgeAccount, genesis, reward } from "./builders.js";
import { local } from "./local.js";
import { test, testPeg } from "./test.js";
import { localUpgrades } from "./upgrade-heights.js";

/**
 * A shared developer network, chain id 32. The deployed client cannot run it, so heights it leaves undefined are
 * "never".
 */
export const dev: NetworkConfig = {
  ...local,
  name: "dev",
  chainId: 32,
  networkId: 44444444,
  deployedWire: undefined,
  parentChain: "test",
  upgrades: { ...localUpgrades, reed810: -1, cardamom1000: -1 },
  ruleHeights: { rskip97: -1, rskipUmm: 1 },
  consensus: {
    ...test.consensus,
    minimumDifficultyRskip290: undefined,
    parentChainTimeWindowRskip297: undefined,
    baseEventRequiredFrom: 0,
  },
  reward: reward(20, 10, "dabadabadabadabadabadabadabadabadaba0002"),
  bridge: { ...local.bridge, ...testPeg },
  genesis: genesis({
    coinbase: fromHex(`${"33".repeat(19)}31`),
    extraData: fromHex("434d272841"),
    accounts: [
      bridgeAccount,
      ...accounts(10n ** 30n, "cd2a3d9f938e13cd947ec05abc7fe734df8dd826"),
      ...accounts(
        0n,
        "bc0afa86de01ebb58f7fe83ef01de204d4f8ced6",
        "77045e71a7a2c50903d88e564cd72fab11e82051",
        "7efdb03921e67f4fa23310a93c59abfc8ba0c8b9",
        "9efa02278cc63dc612c174976f11037d382f8b67",
        "055c99bbcf3ab46890ab87ea3761a5a1830c3225",
      ),
    ],
  }),
};
