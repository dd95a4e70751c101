import type { NetworkConfig, ParentChain } from "@cambium/config";

// What the peg's rules count with: spec/06b-3, first table; spec/06a §6.

export interface PegConstants {
  /** Parent blocks on a transaction, its own included, before it counts. */
  parentConfirmations: number;
  /** Blocks on a created release before it may be signed. */
  releaseConfirmations: number;
  /** Percentage that must be left of a peg-out over its fee. */
  feeGapPercent: bigint;
  blocksBetweenBatches: number;
  maxMigrationInputs: number;
  /** Parent height from which peg-outs are recognised by their index: activation and grace. */
  pegOutIndexHeight: number;
  /** Blocks in which a proposed federation must prove that it can sign. */
  validationPeriod: number;
  /** Age of a new federation, counted from its activation, at which coins begin and cease to move to it. */
  migrationBegin: number;
  migrationEnd: number;
  /** The end while RSKIP-357 is active and RSKIP-374 is not. */
  migrationEndRskip357: number;
  /** Address of a federation from before the bridge knew of any: base58. */
  oldFederationAddress: string;
}

const test: PegConstants = {
  parentConfirmations: 10,
  releaseConfirmations: 10,
  feeGapPercent: 80n,
  blocksBetweenBatches: 360,
  maxMigrationInputs: 50,
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
    maxMigrationInputs: 50,
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
    maxMigrationInputs: 10,
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

/** Smallest output of a peg-in, satoshi. */
export function minimumPegIn({ bridge }: NetworkConfig, rskip219: boolean): bigint {
  return rskip219 ? bridge.minimumPegIn.rskip219 : bridge.minimumPegIn.initial;
}
