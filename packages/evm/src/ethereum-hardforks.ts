/** Ethereum's hard forks under which code can be executed (`@cambium/evm/ethereum`), in their order. */
export const ETHEREUM_HARDFORKS = [
  "homestead",
  "tangerineWhistle",
  "spuriousDragon",
  "byzantium",
  "constantinople",
  "petersburg",
  "istanbul",
  "berlin",
  "london",
  "paris",
  "shanghai",
  "cancun",
  "prague",
  "osaka",
] as const;

export type EthereumHardfork = (typeof ETHEREUM_HARDFORKS)[number];

/** Returns the hard fork with a name, in any case of letters; undefined if there is none. */
export function ethereumHardfork(name: string): EthereumHardfork | undefined {
  return ETHEREUM_HARDFORKS.find((one) => one.toLowerCase() === name.toLowerCase());
}
