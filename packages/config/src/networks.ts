import { fromHex } from "@cambium/primitives";
import { BRIDGE_ADDRESS, REWARD_ADDRESS } from "./addresses.js";
import type { DeployedWireConfig, GenesisAccount, GenesisConfig, NetworkConfig, RewardConfig } from "./network.js";
import type { UpgradeHeights } from "./upgrades.js";

const COIN = 10n ** 18n;
const ZERO_HASH = new Uint8Array(32);
const SEQUENTIAL_ONLY = [BRIDGE_ADDRESS, REWARD_ADDRESS];

const bridgeAccount: GenesisAccount = { address: BRIDGE_ADDRESS, balance: 21_000_000n * COIN };

/** The union bridge starts identically on every network: no address yet, and a limit of one coin. */
const union = { contractAddress: new Uint8Array(20), initialLockingCap: COIN };

function unionAuthorizers(contractAddress: string, lockingCap: string, permissions: string) {
  return {
    contractAddress: fromHex(contractAddress),
    lockingCap: fromHex(lockingCap),
    permissions: fromHex(permissions),
  };
}

function accounts(balance: bigint, ...addresses: string[]): GenesisAccount[] {
  return addresses.map((address) => ({ address: fromHex(address), balance }));
}

function genesis(own: Partial<GenesisConfig> & Pick<GenesisConfig, "accounts" | "extraData">): GenesisConfig {
  return {
    difficulty: fromHex("0000100000"),
    gasLimit: 6_800_000,
    timestamp: 0,
    minimumGasPrice: 0n,
    coinbase: fromHex("33".repeat(20)),
    parentHash: ZERO_HASH,
    ...own,
  };
}

function reward(maturity: number, syntheticSpan: number, fund: string, fundRskip218 = fund): RewardConfig {
  return {
    maturity,
    syntheticSpan,
    fundDivisor: 5n,
    federationDivisor: 100n,
    punishmentDivisor: 10n,
    publishersDivisor: 10n,
    lateInclusionDivisor: 20n,
    fundAddress: fromHex(fund),
    fundAddressRskip218: fromHex(fundRskip218),
  };
}

function addresses(...hex: string[]): Uint8Array[] {
  return hex.map(fromHex);
}

/** The operator of the deployed network runs its boot nodes under numbered names. */
function deployedWire(port: number, domain: string, bootNodes: number): DeployedWireConfig {
  const host = (index: number) => `bootstrap${String(index + 1).padStart(2, "0")}.${domain}`;
  return { port, bootNodes: Array.from({ length: bootNodes }, (_, index) => ({ host: host(index), port })) };
}

/** Heights of the upgrades: `spec/02 §1.2`. */
const mainUpgrades: UpgradeHeights = {
  bahamas: 3397,
  afterBridgeSync: 370000,
  orchid: 729000,
  orchid060: 1052700,
  wasabi100: 1591000,
  twoToThree: 2018000,
  papyrus200: 2392700,
  iris300: 3614800,
  hop400: 4598500,
  hop401: 4976300,
  fingerroot500: 5468000,
  arrowhead600: 6223700,
  arrowhead631: 6549300,
  lovell700: 7338024,
  reed800: 8052200,
  reed810: -1,
  vetiver900: 8804200,
  cardamom1000: -1,
};

const testUpgrades: UpgradeHeights = {
  bahamas: 0,
  afterBridgeSync: 114000,
  orchid: 0,
  orchid060: 0,
  wasabi100: 0,
  twoToThree: 504000,
  papyrus200: 863000,
  iris300: 2060500,
  hop400: 3103000,
  hop401: 3362200,
  fingerroot500: 4015800,
  arrowhead600: 4927100,
  arrowhead631: -1,
  lovell700: 6110487,
  reed800: 6835700,
  reed810: 7139600,
  vetiver900: 7604200,
  cardamom1000: -1,
};

const localUpgrades: UpgradeHeights = {
  bahamas: 0,
  afterBridgeSync: -1,
  orchid: 0,
  orchid060: 0,
  wasabi100: 0,
  twoToThree: 0,
  papyrus200: 0,
  iris300: 0,
  hop400: 0,
  hop401: 0,
  fingerroot500: 0,
  arrowhead600: 0,
  arrowhead631: -1,
  lovell700: 0,
  reed800: 0,
  reed810: 0,
  vetiver900: 0,
  cardamom1000: 0,
};

/** The live network, chain id 30. */
export const main: NetworkConfig = {
  name: "main",
  chainId: 30,
  networkId: 775,
  deployedWire: deployedWire(5050, "rsk.co", 16),
  parentChain: "main",
  upgrades: mainUpgrades,
  ruleHeights: { rskip536: 8804200 },
  consensus: {
    blockDuration: 14,
    minimumDifficulty: 7n * 10n ** 15n,
    fallbackMiningDifficulty: 14n * 10n ** 15n,
    difficultyDivisor: 50n,
    difficultyDivisorRskip156: 400n,
    validPeriod: 60,
    parentChainTimeWindow: 300,
    minimumSequentialGas: 10_000_000,
    baseEventRequiredFrom: 0,
  },
  reward: reward(4000, 10, "14d3065c8eb89895f4df12450ec6b130049f8034", "dcb12179ba4697350f66224c959bdd9c282818df"),
  bridge: {
    genesisFederation: {
      format: 1000,
      creationTimeMillis: 1514948400,
      creationBlock: 1,
      publicKeys: addresses(
        "0245ef34f5ee218005c9c21227133e8568a4f3f11aeab919c66ff7b816ae1ffeea",
        "02481f02b7140acbf3fcdd9f72cf9a7d9484d8125e6df7c9451cfa55ba3b077265",
        "02550cc87fa9061162b1dd395a16662529c9d8094c0feca17905a3244713d65fe8",
        "02566d5ded7c7db1aa7ee4ef6f76989fb42527fcfdcddcd447d6793b7d869e46f7",
        "027319afb15481dbeb3c426bcc37f9a30e7f51ceff586936d85548d9395bcc2344",
        "0294c817150f78607566e961b3c71df53a22022a80acbb982f83c0c8baac040adc",
        "02ac1901b6fba2c1dbd47d894d2bd76c8ba1d296d65f6ab47f1c6b22afb53e73eb",
        "02c6018fcbd3e89f3cf9c7f48b3232ea3638eb8bf217e59ee290f5f0cfb2fb9259",
        "031aabbeb9b27258f98c2bf21f36677ae7bae09eb2d8c958ef41a20a6e88626d26",
        "0340df69f28d69eef60845da7d81ff60a9060d4da35c767f017b0dd4e20448fb44",
        "0355a2e9bf100c00fc0a214afd1bf272647c7824eb9cb055480962f0c382596a70",
        "0372cd46831f3b6afd4c044d160b7667e8ebf659d6cb51a825a3104df6ee0638c6",
        "03b53899c390573471ba30e5054f78376c5f797fda26dde7a760789f02908cbad2",
        "03b65694ccccda83cbb1e56b31308acd08e993114c33f66a456b627c2c1c68bed6",
        "03f909ae15558c70cc751aff9b1f495199c325b13a9e5b934fd6299cd30ec50be8",
      ),
    },
    emergency: {
      publicKeys: addresses(
        "0257c293086c4d4fe8943deda5f890a37d11bebd140e220faa76258a41d077b4d4",
        "03c2660a46aa73078ee6016dee953488566426cf55fc8011edd0085634d75395f9",
        "03cd3e383ec6e12719a6c69515e5559bcbe037d0aa24c187e1e26ce932e22ad7b3",
        "02370a9838e4d15708ad14a104ee5606b36caaaaf739d833e67770ce9fd9b3ec80",
      ),
      activationDelay: 52560,
    },
    federationActivationAge: { initial: 18500, rskip383: 40320, rskip419: 40320 },
    authorizers: {
      federationChange: addresses(
        "56bc5087ac97bc85a877bd20dfef910b78b1dc5a",
        "6fe1cd06a80fa52eb34d7e4d1845881c2b5de89a",
        "d41f4d4c7fc8d5fa9468d0c466c9a726397f91b6",
      ),
      feePerKb: addresses(
        "a02db0ed94a5894bc6f9079bb9a2d93ada1917f3",
        "180a7edda4e640ea5a3e495e17a1efad260c39e9",
        "8418edc8fea47183116b4c8cd6a12e51a7e169c1",
      ),
      lockingCap: addresses(
        "a02db0ed94a5894bc6f9079bb9a2d93ada1917f3",
        "180a7edda4e640ea5a3e495e17a1efad260c39e9",
        "8418edc8fea47183116b4c8cd6a12e51a7e169c1",
      ),
      whitelist: addresses("6ba9d41b07da470fe340cbd439a42538795eb75b"),
      union: unionAuthorizers(
        "0000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000",
      ),
    },
    minimumPegIn: { initial: 1_000_000n, rskip219: 500_000n },
    minimumPegOut: { initial: 800_000n, rskip219: 400_000n },
    genesisFeePerKb: 500_000n,
    initialLockingCap: 30_000_000_000n,
    blockIndex: { activationHeight: 696022, maxDepth: 4320 },
    union,
  },
  genesis: genesis({
    timestamp: 1514862000,
    minimumGasPrice: 183_000_000n,
    extraData: fromHex(
      "486170707920426974636f696e20446179212030332f4a616e2f32303138202d2052534b20746563686e6f6c6f6779206174207468652073657276696365206f6620736f6369657479",
    ),
    stateRoot: fromHex("9fa70f12726ac738640a86754741bb3f5680520ccc7e6ae9d95ace566a67fe01"),
    accounts: [bridgeAccount],
  }),
  sequentialOnlyContracts: SEQUENTIAL_ONLY,
};

/** The public test network, chain id 31. */
export const test: NetworkConfig = {
  name: "test",
  chainId: 31,
  networkId: 8100,
  deployedWire: deployedWire(50505, "testnet.rsk.co", 8),
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
  },
  genesis: genesis({
    gasLimit: 5_000_000,
    extraData: fromHex("434d272841"),
    stateRoot: fromHex("45bce5168430c42b3d568331753f900a32457b4f3748697cbd8375ff4da72641"),
    accounts: [bridgeAccount],
  }),
  sequentialOnlyContracts: SEQUENTIAL_ONLY,
};

/** A private network on one machine, chain id 33: every rule active, difficulty 1, ten funded accounts. */
export const local: NetworkConfig = {
  name: "local",
  chainId: 33,
  networkId: 7771,
  deployedWire: { port: 50501, bootNodes: [] },
  parentChain: "regtest",
  upgrades: localUpgrades,
  ruleHeights: { rskip97: -1, rskipUmm: 1, rskip144: 1, rskip351: 1, rskip535: 1 },
  consensus: {
    blockDuration: 10,
    minimumDifficulty: 1n,
    fallbackMiningDifficulty: 0n,
    difficultyDivisor: 2048n,
    difficultyDivisorRskip156: 2048n,
    validPeriod: 0,
    parentChainTimeWindow: 300,
    minimumSequentialGas: 6_800_000,
    baseEventRequiredFrom: 0,
  },
  reward: reward(10, 5, "dabadabadabadabadabadabadabadabadaba0001"),
  bridge: {
    genesisFederation: {
      format: 4000,
      creationTimeMillis: 1451606400000,
      creationBlock: 1,
      publicKeys: addresses(
        "02cd53fc53a07f211641a677d250f6de99caf620e8e77071e811a28b3bcddf0be1",
        "0362634ab57dae9cb373a5d536e66a8c4f67468bbcfb063809bab643072d78a124",
        "03c5946b3fbae03a654237da863c9ed534e0878657175b132b8ca630f245df04db",
      ),
    },
    emergency: {
      publicKeys: addresses(
        "03b9fc46657cf72a1afa007ecf431de1cd27ff5cc8829fa625b66ca47b967e6b24",
        "029cecea902067992d52c38b28bf0bb2345bda9b21eca76b16a17c477a64e43301",
        "03284178e5fbcc63c54c3b38e3ef88adf2da6c526313650041b0ef955763634ebd",
        "03ab0e2cd7ed158687fc13b88019990860cdb72b1f5777b58513312550ea1584bc",
      ),
      activationDelay: 500,
    },
    federationActivationAge: { initial: 10, rskip383: 150, rskip419: 150 },
    authorizers: {
      federationChange: addresses(
        "5252403bca6ac3c104abdd320a736fa38282045d",
        "0d8c44bd578a4e7148d1758b3332b529e93e48c1",
        "566bca18df14ed75efcc1a8a4f3947e81132dbbc",
        "2e7c9159614ddc0185e335d3343e92700c3e5a2d",
        "f0652637df184eca87e6bde29893825721dfb79f",
      ),
      feePerKb: addresses("53f8f6dabd612b6137215ddd7758bb5cdd638922"),
      lockingCap: addresses("6913bd4715eff3b25501f3212f15df38296d1f21"),
      whitelist: addresses("87d2a0f33744929da08b65fd62b627ea52b25f8e"),
      union: unionAuthorizers(
        "6c9dfd950bf748bb26f893f7e5f693c7f60a8f85",
        "ff6f4ff09c54561e1476203e56fcfc834911aa64",
        "ff6f4ff09c54561e1476203e56fcfc834911aa64",
      ),
    },
    minimumPegIn: { initial: 1_000_000n, rskip219: 500_000n },
    minimumPegOut: { initial: 500_000n, rskip219: 250_000n },
    genesisFeePerKb: 100_000n,
    initialLockingCap: 100_000_000_000n,
    blockIndex: { activationHeight: 10, maxDepth: 5 },
    union,
  },
  genesis: genesis({
    difficulty: fromHex("0000000001"),
    gasLimit: 10_000_000,
    extraData: fromHex("686f727365"),
    accounts: [
      bridgeAccount,
      ...accounts(
        10n ** 30n,
        "cd2a3d9f938e13cd947ec05abc7fe734df8dd826",
        "7986b3df570230288501eea3d890bd66948c9b79",
        "0a3aa774752ec2042c46548456c094a76c7f3a79",
        "cf7cdbbb5f7ba79d3ffe74a0bba13fc0295f6036",
        "39b12c05e8503356e3a7df0b7b33efa4c054c409",
        "c354d97642faa06781b76ffb6786f72cd7746c97",
        "debe71e1de41fc77c44df4b6db940026e31b0e71",
        "7857288e171c6159c5576d1bd9ac40c0c48a771c",
        "a4dea4d5c954f5fd9e87f0e9752911e83a3d18b3",
        "09a1eda29f664ac8f68106f6567276df0c65d859",
      ),
    ],
  }),
  isForDevelopment: true,
  sequentialOnlyContracts: SEQUENTIAL_ONLY,
};

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

/** The built-in networks by name. */
export const NETWORKS = { main, test, dev, local } as const satisfies Record<string, NetworkConfig>;

export type NetworkName = keyof typeof NETWORKS;
