import type { RuleName, UpgradeHeights } from "./upgrades.js";

/** Which parent-chain (Bitcoin) network a network is merge-mined with. */
export type ParentChain = "main" | "test" | "regtest";

/** One account of the genesis state. `code` and `storage` make it a contract (with the storage marker). */
export interface GenesisAccount {
  address: Uint8Array;
  balance: bigint;
  nonce?: bigint;
  code?: Uint8Array;
  /** 32-byte slot and stored bytes. */
  storage?: readonly { slot: Uint8Array; value: Uint8Array }[];
}

/** Genesis block of a network: `spec/01 §6`, `spec/02 §1.4`. */
export interface GenesisConfig {
  /** Raw bytes: leading zeros are kept in the encoding. */
  difficulty: Uint8Array;
  gasLimit: number;
  timestamp: number;
  minimumGasPrice: bigint;
  coinbase: Uint8Array;
  extraData: Uint8Array;
  parentHash: Uint8Array;
  /** Header state root where it is a literal (old-format root of main); otherwise the root of the genesis state. */
  stateRoot?: Uint8Array;
  accounts: readonly GenesisAccount[];
}

/** Chain-level constants: `spec/02 §2`. */
export interface ConsensusConstants {
  /** Seconds a block (uncles included) should take. */
  blockDuration: number;
  minimumDifficulty: bigint;
  /** Minimum once RSKIP-290 is active; only on the test network. */
  minimumDifficultyRskip290?: bigint;
  fallbackMiningDifficulty: bigint;
  difficultyDivisor: bigint;
  difficultyDivisorRskip156: bigint;
  /** Seconds a block may be ahead of the local clock; 0 turns every timestamp rule off. */
  validPeriod: number;
  /** Exclusive bound, in seconds, on the distance to the parent-chain header (RSKIP-179). */
  parentChainTimeWindow: number;
  /** The bound once RSKIP-297 is active, where it differs. */
  parentChainTimeWindowRskip297?: number;
  /** Minimum gas of the sequential list (RSKIP-144). */
  minimumSequentialGas: number;
  /** First height at which a version 2 header must carry its base event; below it one item may be missing. */
  baseEventRequiredFrom: number;
}

/** The reward contract's parameters: `spec/05 §1.1`. */
export interface RewardConfig {
  maturity: number;
  syntheticSpan: number;
  fundDivisor: bigint;
  federationDivisor: bigint;
  punishmentDivisor: bigint;
  publishersDivisor: bigint;
  lateInclusionDivisor: bigint;
  fundAddress: Uint8Array;
  fundAddressRskip218: Uint8Array;
}

/** Kind of a federation's script by its stored number: standard multisig, and the three emergency-key kinds. */
export type FederationFormat = 1000 | 2000 | 3000 | 4000;

/** What execution, the reward contract and the bridge's getters need to know: `spec/05 §7`, `spec/06a §6`. Coins in satoshi. */
export interface BridgeConfig {
  genesisFederation: {
    format: FederationFormat;
    creationTimeMillis: number;
    creationBlock: number;
    /** Compressed keys, in member order. */
    publicKeys: readonly Uint8Array[];
  };
  /** Emergency keys of the emergency-key formats, and after how many parent blocks they count. */
  emergency: { publicKeys: readonly Uint8Array[]; activationDelay: number };
  /** Blocks until a new federation is the active one: before RSKIP-383, from RSKIP-383, from RSKIP-419. */
  federationActivationAge: { initial: number; rskip383: number; rskip419: number };
  /** Addresses that may vote or decide. */
  authorizers: {
    federationChange: readonly Uint8Array[];
    feePerKb: readonly Uint8Array[];
    lockingCap: readonly Uint8Array[];
    whitelist: readonly Uint8Array[];
    /** One address each; the zero address on main, where nothing of it is scheduled. */
    union: { contractAddress: Uint8Array; lockingCap: Uint8Array; permissions: Uint8Array };
  };
  /** Smallest peg-in and peg-out: at first, and from RSKIP-219. */
  minimumPegIn: { initial: bigint; rskip219: bigint };
  minimumPegOut: { initial: bigint; rskip219: bigint };
  genesisFeePerKb: bigint;
  initialLockingCap: bigint;
  /** Parent height from which blocks are indexed by height, and how far below the head one may ask before it. */
  blockIndex: { activationHeight: number; maxDepth: number };
  /** Union bridge: its first address, and the first cap of what it may hold, in wei. */
  union: { contractAddress: Uint8Array; initialLockingCap: bigint };
}

/** A network: data only, so that a custom one can be loaded from a file. */
export interface NetworkConfig {
  name: string;
  chainId: number;
  networkId: number;
  parentChain: ParentChain;
  upgrades: UpgradeHeights;
  /** Heights that differ from the rule's upgrade; -1 is never. */
  ruleHeights: Readonly<Partial<Record<RuleName, number>>>;
  consensus: ConsensusConstants;
  reward: RewardConfig;
  bridge: BridgeConfig;
  genesis: GenesisConfig;
  /** Native contracts that must not be called from a parallel list (`spec/02 §6.4`, step 3). */
  sequentialOnlyContracts: readonly Uint8Array[];
}
