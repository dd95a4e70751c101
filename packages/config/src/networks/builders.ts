import { fromHex } from "@cambium/primitives";
import { BRIDGE_ADDRESS, REWARD_ADDRESS } from "../addresses.js";
import type {
  DeployedWireConfig,
  GenesisAccount,
  GenesisConfig,
  PublishedStateConfig,
  RewardConfig,
} from "../network.js";

// Parts that the built-in networks have in common.

const COIN = 10n ** 18n;
const ZERO_HASH = new Uint8Array(32);
export const SEQUENTIAL_ONLY = [BRIDGE_ADDRESS, REWARD_ADDRESS];

export const bridgeAccount: GenesisAccount = { address: BRIDGE_ADDRESS, balance: 21_000_000n * COIN };

/** The union bridge starts identically on every network: no address yet, and a limit of one coin. */
export const union = { contractAddress: new Uint8Array(20), initialLockingCap: COIN };

export function unionAuthorizers(contractAddress: string, lockingCap: string, permissions: string) {
  return {
    contractAddress: fromHex(contractAddress),
    lockingCap: fromHex(lockingCap),
    permissions: fromHex(permissions),
  };
}

export function publishedState(url: string, ...signers: string[]): PublishedStateConfig {
  return { url, signers: signers.map(fromHex) };
}

export function accounts(balance: bigint, ...addresses: string[]): GenesisAccount[] {
  return addresses.map((address) => ({ address: fromHex(address), balance }));
}

export function genesis(own: Partial<GenesisConfig> & Pick<GenesisConfig, "accounts" | "extraData">): GenesisConfig {
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

export function reward(maturity: number, syntheticSpan: number, fund: string, fundRskip218 = fund): RewardConfig {
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

export function addresses(...hex: string[]): Uint8Array[] {
  return hex.map(fromHex);
}

/** The operator of the deployed network runs its boot nodes under numbered names. */
export function deployedWire(port: number, domain: string, bootNodes: number): DeployedWireConfig {
  const host = (index: number) => `bootstrap${String(index + 1).padStart(2, "0")}.${domain}`;
  return { port, bootNodes: Array.from({ length: bootNodes }, (_, index) => ({ host: host(index), port })) };
}
