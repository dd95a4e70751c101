import { createChainEvm } from "@cambium/chain";
import { NETWORKS, type NetworkConfig } from "@cambium/config";
import type { Evm } from "@cambium/evm";
import { ConformanceError } from "./errors.js";

/** The reference client's names of networks; `cardamom` is its local network with all rules of that upgrade. */
export type VectorNetwork = "main" | "testnet" | "regtest" | "cardamom";

/** A network and the EVM with its rules. */
export interface NetworkMachine {
  network: NetworkConfig;
  evm: Evm;
}

/**
 * The local network of the deployed client that recorded the vectors. Rules that later releases activate there from the
 * first block on are off.
 */
export const RECORDED_LOCAL = localWith({ rskip378: -1 });

function localWith(ruleHeights: NetworkConfig["ruleHeights"]): NetworkConfig {
  return { ...NETWORKS.local, ruleHeights: { ...NETWORKS.local.ruleHeights, ...ruleHeights } };
}

const CONFIGS: Readonly<Record<VectorNetwork, NetworkConfig>> = {
  main: NETWORKS.main,
  testnet: NETWORKS.test,
  regtest: RECORDED_LOCAL,
  cardamom: localWith({ rskip378: 0, rskip455: 0 }),
};

export const VECTOR_NETWORKS = Object.keys(CONFIGS) as VectorNetwork[];

/** The network of a recorded chain; undefined if the chain id is unknown. */
export function recordedNetwork(chainId: number): NetworkConfig | undefined {
  return Object.values(CONFIGS).find((network) => network.chainId === chainId);
}

const machines = new Map<VectorNetwork, NetworkMachine>();

/** The EVM of a network, built once. Throws {@link ConformanceError} `UNKNOWN_NETWORK` if the name is unknown. */
export function machineOf(name: VectorNetwork): NetworkMachine {
  const known = machines.get(name);
  if (known !== undefined) return known;
  if (!Object.hasOwn(CONFIGS, name)) {
    throw new ConformanceError({ code: "UNKNOWN_NETWORK", name, known: VECTOR_NETWORKS.join(", ") });
  }
  const network = CONFIGS[name];
  const machine = { network, evm: createChainEvm(network) };
  machines.set(name, machine);
  return machine;
}
