import type { NetworkConfig, ParentChain } from "@cambium/config";

// Constants of the peg: spec/06b-3, first table; spec/06a §6.

export interface PegConstants {
  /** Confirmations that a parent-chain transaction needs, including its own block. */
  parentConfirmations: number;
  /** Confirmations that a created release needs before it can be signed. */
  releaseConfirmations: number;
  /** Percentage of a peg-out that must remain after its fee. */
  feeGapPercent: bigint;
  blocksBetweenBatches: number;
  /** Maximum number of inputs of a migration before RSKIP-455. */
  maxMigrationInputsBeforeRskip455: number;
  /** Parent height from which peg-outs are recognised by their index: activation plus grace period. */
  pegOutIndexHeight: number;
  /** Number of blocks in which a proposed federation must prove that it can sign. */
  validationPeriod: number;
  /** Age of a new federation, from its activation, at which UTXO migration to it starts and ends. */
  migrationBegin: number;
  migrationEnd: number;
  /** End of the migration while RSKIP-357 is active and RSKIP-374 is not. */
  migrationEndRskip357: number;
  /** Base58 address of the federation before the bridge stored federations. */
  oldFederationAddress: string;
}

const test: PegConstants = {
  parentConfirmations: 10,
  releaseConfirmations: 10,
  feeGapPercent: 80n,
  blocksBetweenBatches: 360,
  maxMigrationInputsBeforeRskip455: 50,
  pegOutIndexHeight: 2_590_993,
  validationPeriod: 2000,
  migrationBegin: 60,
  migrationEnd: 900,
  migrationEndRskip357: 900,
  oldFederationAddress: "2N7ZgQyhFKm17RbaLqygYbS7KLrQfapyZzu",
};

const CONSTANTS: Readonly<Record<ParentChain, PegConstants>> = {
  main: {
    parentConfirmations: 100,
    releaseConfirmations: 4000,
    feeGapPercent: 80n,
    blocksBetweenBatches: 360,
    maxMigrationInputsBeforeRskip455: 50,
    pegOutIndexHeight: 841_909,
    validationPeriod: 20_000,
    migrationBegin: 0,
    migrationEnd: 10_585,
    migrationEndRskip357: 172_800,
    oldFederationAddress: "35JUi1FxabGdhygLhnNUEFG4AgvpNMgxK1",
  },
  test,
  regtest: {
    ...test,
    parentConfirmations: 3,
    releaseConfirmations: 3,
    feeGapPercent: 20n,
    blocksBetweenBatches: 50,
    maxMigrationInputsBeforeRskip455: 10,
    pegOutIndexHeight: 350,
    validationPeriod: 125,
    migrationBegin: 15,
    migrationEnd: 150,
    migrationEndRskip357: 150,
  },
};

export function pegConstants(network: NetworkConfig): PegConstants {
  return CONSTANTS[network.parentChain];
}

/** Minimum output value of a peg-in, in satoshi. */
export function minimumPegIn({ bridge }: NetworkConfig, rskip219: boolean): bigint {
  return rskip219 ? bridge.minimumPegIn.rskip219 : bridge.minimumPegIn.initial;
}
