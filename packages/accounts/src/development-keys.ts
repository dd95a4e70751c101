import { addressOfPrivateKey, privateKeyOfSeed } from "./private-key.js";

/** A publicly known key. */
export interface DevelopmentKey {
  seed: string;
  privateKey: Uint8Array;
  address: Uint8Array;
}

/** Seeds of the accounts funded by the genesis blocks of networks 32 and 33 (`spec/09 §13.3`). */
const SEEDS: readonly string[] = ["cow", ...Array.from({ length: 9 }, (_, i) => `cow${i + 1}`)];

/** The ten accounts of development networks, in the order of their seeds. */
export function developmentKeys(): readonly DevelopmentKey[] {
  return SEEDS.map((seed) => {
    const privateKey = privateKeyOfSeed(seed);
    return { seed, privateKey, address: addressOfPrivateKey(privateKey) };
  });
}
