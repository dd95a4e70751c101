import { crc32 } from "node:zlib";
import { allNativeContracts, type ChainReader } from "@cambium/chain";
import {
  BLOCK_HEADER_ADDRESS,
  BRIDGE_ADDRESS,
  ENVIRONMENT_ADDRESS,
  HD_WALLET_UTILS_ADDRESS,
  MAX_CODE_SIZE,
  MAX_INIT_CODE_SIZE,
  type NetworkConfig,
  REWARD_ADDRESS,
  rulesAt,
  STATE_EDITOR_ADDRESS,
  UPGRADES,
} from "@cambium/config";
import { precompiles } from "@cambium/evm";
import { bigintToFixedBytes, joinBytes, toData, toQuantity } from "@cambium/primitives";
import type { ApiConfig } from "../config.js";

/** Names in EIP-7910 of precompiled contracts that have other names here. */
const PRECOMPILE_NAMES: Readonly<Record<string, string>> = {
  ECRECOVER: "ECREC",
  IDENTITY: "ID",
  BN128_ADD: "BN254_ADD",
  BN128_MUL: "BN254_MUL",
  BN128_PAIRING: "BN254_PAIRING",
};
const SYSTEM_CONTRACT_NAMES: Readonly<Record<string, string>> = {
  [toData(BRIDGE_ADDRESS)]: "BRIDGE",
  [toData(REWARD_ADDRESS)]: "REMASC",
  [toData(HD_WALLET_UTILS_ADDRESS)]: "HD_WALLET_UTILS",
  [toData(BLOCK_HEADER_ADDRESS)]: "BLOCK_HEADER",
  [toData(ENVIRONMENT_ADDRESS)]: "ENVIRONMENT",
  [toData(STATE_EDITOR_ADDRESS)]: "STATE_EDITOR",
};

/** Facts of a chain that clients need, in the form of EIP-7910; upgrades activate by block, not by time. */
export function chainConfiguration({ chain, config }: { chain: ChainReader; config: ApiConfig }) {
  const { network, genesis } = chain;
  const best = chain.best().header.number;
  const heights = activationHeights(network);
  const fork = (height: number | undefined) => {
    return height === undefined ? null : forkConfiguration(network, genesis.hash, heights, height);
  };
  const isScheduled = heights.at(-1)! > best;
  return {
    current: fork(heights.findLast((height) => height <= best)),
    next: fork(heights.find((height) => height > best)),
    last: fork(isScheduled ? heights.at(-1) : undefined),
    network: network.name,
    genesis: toData(genesis.hash),
    upgrades: UPGRADES.map((name) => {
      const height = network.upgrades[name];
      return { name, height: height < 0 ? null : height, active: height >= 0 && height <= best };
    }),
    limits: limitsOf(config),
  };
}

/** The heights at which rules change, ascending; the first is genesis. */
function activationHeights({ upgrades, ruleHeights }: NetworkConfig): number[] {
  const scheduled = [...Object.values(upgrades), ...Object.values(ruleHeights)].filter((height) => height >= 0);
  return [...new Set([0, ...scheduled])].sort((a, b) => a - b);
}

/** Returns the rules from a height on, in the form of EIP-7910. This chain has no blobs. */
function forkConfiguration(
  network: NetworkConfig,
  genesisHash: Uint8Array,
  heights: readonly number[],
  activationBlock: number,
) {
  const rules = rulesAt(network, activationBlock);
  const active = allNativeContracts(network).filter((contract) => contract.isActive(rules));
  const isPrecompiled = new Set(precompiles.map(({ address }) => toData(address)));
  const cryptographic = active.filter(({ address }) => isPrecompiled.has(toData(address)));
  const native = active.filter(({ address }) => !isPrecompiled.has(toData(address)));
  return {
    activationBlock,
    blobSchedule: null,
    chainId: toQuantity(network.chainId),
    forkId: forkId(
      genesisHash,
      heights.filter((height) => height <= activationBlock),
    ),
    precompiles: addressesBy(cryptographic.map(({ name, address }) => [PRECOMPILE_NAMES[name] ?? name, address])),
    systemContracts: addressesBy(native.map(({ address }) => [SYSTEM_CONTRACT_NAMES[toData(address)]!, address])),
  };
}

/** The addresses by name, in the order of names as the EIP requires. */
function addressesBy(named: readonly (readonly [string, Uint8Array])[]): Record<string, string> {
  const entries = named.map(([name, address]) => [name, toData(address)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The fork hash of EIP-6122: a checksum of the genesis hash and the activation heights above 0, ascending. */
export function forkId(genesisHash: Uint8Array, heights: readonly number[]): string {
  const activations = heights.filter((height) => height > 0).map((height) => bigintToFixedBytes(BigInt(height), 8));
  const checksum = crc32(joinBytes([genesisHash, ...activations]));
  return `0x${checksum.toString(16).padStart(8, "0")}`;
}

/** Limits of requests by their settings, and sizes of code in bytes. */
function limitsOf({ timeout, maxResponseSize, callGasCap, gasEstimationCap, logs, trace }: ApiConfig) {
  return {
    timeout,
    maxResponseSize,
    callGasCap,
    gasEstimationCap,
    logs,
    trace: { maxTraces: trace.maxTraces },
    maxCodeSize: MAX_CODE_SIZE,
    maxInitCodeSize: MAX_INIT_CODE_SIZE,
  };
}
