import type { Abi } from "viem";

/** Name and ABI of a contract, from its artifact. */
export interface KnownContract {
  /** Empty for an ABI alone. */
  name: string;
  abi: Abi;
}

/** Contracts by address in lower case. */
const known = new Map<string, KnownContract>();
/** Each ABI once: errors and events of contracts that others call. */
const abis = new Set<Abi>();

export function setKnown(address: string, contract: KnownContract | undefined): void {
  if (contract === undefined) known.delete(address.toLowerCase());
  else known.set(address.toLowerCase(), contract);
  abis.clear();
  for (const { abi } of known.values()) abis.add(abi);
}

export function knownContract(address: string): KnownContract | undefined {
  return known.get(address.toLowerCase());
}

/** Returns the ABIs of all known contracts, that of the address first. */
export function knownAbis(address: string | null | undefined): Abi[] {
  const own = address ? knownContract(address)?.abi : undefined;
  const others = [...abis].filter((abi) => abi !== own);
  return own === undefined ? others : [own, ...others];
}
