import type { NativeContract } from "@cambium/state";
import { bn128Add, bn128Multiply, bn128Pairing } from "./alt-bn128.js";
import { loadFastAltBn128 } from "./alt-bn128-curve.js";
import { blake2f } from "./blake2f.js";
import { ecrecover } from "./ecrecover.js";
import { identity } from "./identity.js";
import { modexp } from "./modexp.js";
import { ripemd160 } from "./ripemd160.js";
import { secp256k1Add, secp256k1Multiply } from "./secp256k1.js";
import { sha256 } from "./sha256.js";

export { PrecompileError } from "./errors.js";

/** The cryptographic precompiled contracts of all heights, in address order (`spec/04 §6.1`). */
export const precompiles: readonly NativeContract[] = [
  ecrecover,
  sha256,
  ripemd160,
  identity,
  modexp,
  bn128Add,
  bn128Multiply,
  bn128Pairing,
  blake2f,
  secp256k1Add,
  secp256k1Multiply,
];

/**
 * Loads the implementations that would otherwise be loaded at their first use, with slower ones in their place. A
 * thread that executes blocks waits for this: without it, a block of pairings would take seconds.
 */
export async function loadPrecompiles(): Promise<void> {
  await loadFastAltBn128();
}
