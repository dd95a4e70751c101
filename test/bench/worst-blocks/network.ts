import { type GenesisAccount, main, type NetworkConfig, UPGRADES } from "@cambium/config";
import { keccak256, publicKeyToAddress, secp256k1, utf8 } from "@cambium/primitives";

/** Gas limit of mainnet's blocks. */
export const GAS_LIMIT = 10_000_000;

/** Key of the account that pays for all transactions. */
export const PAYER_KEY = keccak256(utf8("payer"));
const PAYER = publicKeyToAddress(secp256k1.publicKey(PAYER_KEY));

/** Mainnet's present upgrades, all from block 0 on. */
const upgrades = Object.fromEntries(
  UPGRADES.map((name) => [name, Math.min(main.upgrades[name], 0)]),
) as unknown as NetworkConfig["upgrades"];

/** Returns a network with mainnet's present rules from its first block on, which needs no work. */
export function mainOfToday(accounts: readonly GenesisAccount[]): NetworkConfig {
  const { stateRoot: _literal, ...genesis } = main.genesis;
  return {
    ...main,
    upgrades,
    ruleHeights: { rskip536: 0, rskipUmm: 1 },
    genesis: {
      ...genesis,
      gasLimit: GAS_LIMIT,
      minimumGasPrice: 0n,
      accounts: [...genesis.accounts, { address: PAYER, balance: 10n ** 24n }, ...accounts],
    },
  };
}
