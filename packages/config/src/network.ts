import type { RuleName, UpgradeHeights } from "./upgrades.js";

/** The parent-chain (Bitcoin) network with which a network is merge-mined. */
export type ParentChain = "main" | "test" | "regtest";

/** One account of the genesis state. `code` or `storage` makes it a contract, with the storage marker. */
export interface GenesisAccount {
  address: Uint8Array;
  balance: bigint;
  nonce?: bigint;
  code?: Uint8Array;
  /** 32-byte slots with their stored bytes. */
  storage?: readonly { slot: Uint8Array; value: Uint8Array }[];
}

/** Genesis block of a network: `spec/01 §6`, `spec/02 §1.4`. */
export interface GenesisConfig {
  /** Raw bytes, because the encoding keeps leading zeros. */
  difficulty: Uint8Array;
  gasLimit: number;
  timestamp: number;
  minimumGasPrice: bigint;
  coinbase: Uint8Array;
  extraData: Uint8Array;
  parentHash: Uint8Array;
  /**
   * State root in the header if it is literal (old-format root of main); otherwise the root of the genesis state is
   * used.
   */
  stateRoot?: Uint8Array;
  accounts: readonly GenesisAccount[];
}

/** Chain-level constants: `spec/02 §2`. */
export interface ConsensusConstants {
  /** Target seconds per block, uncles included. */
  blockDuration: number;
  minimumDifficulty: bigint;
  /** Minimum difficulty once RSKIP-290 is active; only on the test network. */
  minimumDifficultyRskip290?: bigint;
  fallbackMiningDifficulty: bigint;
  difficultyDivisor: bigint;
  difficultyDivisorRskip156: bigint;
  /** Maximum seconds by which a block may be ahead of the local clock; 0 disables every timestamp rule. */
  validPeriod: number;
  /** Exclusive limit, in seconds, of the time difference to the parent-chain header (RSKIP-179). */
  parentChainTimeWindow: number;
  /** The limit once RSKIP-297 is active, if it differs from `parentChainTimeWindow`. */
  parentChainTimeWindowRskip297?: number;
  /** Minimum gas of the sequential list (RSKIP-144). */
  minimumSequentialGas: number;
  /** First height at which a version 2 header must contain its base event; below it, one item may be missing. */
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

/**
 * Format of a federation's script by its stored number: standard multisig, or one of three formats with emergency keys.
 */
export type FederationFormat = 1000 | 2000 | 3000 | 4000;

/**
 * Parameters of the bridge and of the contracts that depend on it: `spec/05 §7`, `spec/06a §6`, `spec/06b-3`. Amounts
 * are in satoshi.
 */
export interface BridgeConfig {
  genesisFederation: {
    format: FederationFormat;
    creationTimeMillis: number;
    creationBlock: number;
    /** Compressed keys in member order. */
    publicKeys: readonly Uint8Array[];
  };
  /** Emergency keys of the formats that have them, and the number of parent blocks after which they may sign. */
  emergency: { publicKeys: readonly Uint8Array[]; activationDelay: number };
  /** Blocks until a new federation becomes active: before RSKIP-383, from RSKIP-383 and from RSKIP-419 on. */
  federationActivationAge: { initial: number; rskip383: number; rskip419: number };
  /** Addresses that may vote or decide. */
  authorizers: {
    federationChange: readonly Uint8Array[];
    feePerKb: readonly Uint8Array[];
    lockingCap: readonly Uint8Array[];
    whitelist: readonly Uint8Array[];
    /** One address for each part; zero addresses on main, where the union bridge is not scheduled. */
    union: { contractAddress: Uint8Array; lockingCap: Uint8Array; permissions: Uint8Array };
  };
  /** Minimum peg-in and peg-out: initially, and from RSKIP-219 on. */
  minimumPegIn: { initial: bigint; rskip219: bigint };
  minimumPegOut: { initial: bigint; rskip219: bigint };
  genesisFeePerKb: bigint;
  initialLockingCap: bigint;
  /** Parent height from which blocks are indexed by height, and the maximum depth of queries before it. */
  blockIndex: { activationHeight: number; maxDepth: number };
  /** Union bridge: its initial address, and the initial limit of its holdings in wei. */
  union: { contractAddress: Uint8Array; initialLockingCap: bigint };
  /** Confirmations that a parent-chain transaction needs, including its own block. */
  parentConfirmations: number;
  /** Confirmations that a created release needs before it can be signed. */
  releaseConfirmations: number;
  /** Minimum value that remains of a peg-out after its fee, in percent of the fee. */
  feeGapPercent: bigint;
  /** Blocks between two batches of peg-outs (RSKIP-271). */
  blocksBetweenPegOuts: number;
  /** Maximum number of inputs of a migration before RSKIP-455. */
  maxMigrationInputs: number;
  /** Parent height from which peg-outs are recognised by their index: activation plus grace period. */
  pegOutIndexHeight: number;
  /** Number of blocks in which a proposed federation must prove that it can sign. */
  validationPeriod: number;
  /**
   * Ages of a new federation, from its activation, at which UTXO migration to it starts and ends. The last age is the
   * end while RSKIP-357 is active and RSKIP-374 is not.
   */
  migration: { begin: number; end: number; endRskip357: number };
  /** Base58 address of the federation before the bridge stored federations. */
  oldFederationAddress: string;
}

/** Bootstrap nodes and port of the deployed network: `spec/07 §A.1`. */
export interface DeployedWireConfig {
  /** Default port of TCP and UDP. */
  port: number;
  /** Nodes at which discovery starts; the host is an address or a name, and the port that of TCP and UDP. */
  bootNodes: readonly { host: string; port: number }[];
}

/** Address of the published state data of the network, and their signers: `spec/10 §1`. */
export interface PublishedStateConfig {
  /** Base address; http or https. */
  url: string;
  /** Uncompressed public keys, 65 bytes each. */
  signers: readonly Uint8Array[];
}

/** A block of the network that a release trusts: headers below it need no verification (`spec/10 §4`). */
export interface WorkCheckpoint {
  number: number;
  hash: Uint8Array;
  /** Sum of the difficulties of all blocks up to this one, and of their uncles. */
  totalDifficulty: bigint;
}

/**
 * The block of another chain on which a local chain is built ([fork mode](../../../docs/local-network.md#fork-mode)).
 */
export interface ForkConfig {
  /** URL of a JSON-RPC endpoint, or data folder of a node of this kind. */
  source: string;
  /** Id of the forked chain. */
  chainId: number;
  /** Number and hash of the last block that is not local, and its header in full RLP. */
  number: number;
  hash: Uint8Array;
  header: Uint8Array;
  totalDifficulty: bigint;
  /**
   * Key by which the endpoint is queried for the state after the block: the hash, which a reorganisation cannot change,
   * or the number.
   */
  selector: "hash" | "number";
  /** Accounts that the local chain funds: they replace nonce and balance. */
  accounts: readonly GenesisAccount[];
  /** Folder for data read from an endpoint; undefined: nothing is kept. */
  cache?: string;
}

/** A network: data only, so that a custom one can be loaded from a file. */
export interface NetworkConfig {
  name: string;
  chainId: number;
  /** P2P network id of the deployed wire, which is not the chain id. */
  networkId: number;
  /** Undefined for a network that the deployed wire does not serve. */
  deployedWire?: DeployedWireConfig;
  /** Undefined for a network without published state. */
  publishedState?: PublishedStateConfig;
  /** Block at which the verification of work below published state ends; undefined: genesis. */
  workCheckpoint?: WorkCheckpoint;
  parentChain: ParentChain;
  upgrades: UpgradeHeights;
  /** Heights that differ from those of the rule's upgrade; -1 means never. */
  ruleHeights: Readonly<Partial<Record<RuleName, number>>>;
  consensus: ConsensusConstants;
  reward: RewardConfig;
  bridge: BridgeConfig;
  genesis: GenesisConfig;
  /**
   * Whether tools of developers may change the state, the block gas limit and the minimum gas price, and send
   * transactions for accounts without their keys. They do so by marked blocks and transactions, which are invalid on
   * any other network. Not allowed with the ids of public networks, except for a fork.
   */
  isForDevelopment?: boolean;
  /** Block after which the chain begins, if not genesis. Such a network never has peers. */
  fork?: ForkConfig;
  /** Native contracts that must not be called from a parallel list (`spec/02 §6.4`, step 3). */
  sequentialOnlyContracts: readonly Uint8Array[];
}
