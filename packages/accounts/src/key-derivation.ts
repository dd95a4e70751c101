import { pbkdf2, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { utf8 } from "@cambium/primitives";
import { scryptAsync } from "@noble/hashes/scrypt.js";

/** How a passphrase becomes a key, as a key file says it. */
export type KeyDerivation =
  | { kdf: "scrypt"; n: number; r: number; p: number; salt: Uint8Array; length: number }
  | { kdf: "pbkdf2"; iterations: number; salt: Uint8Array; length: number };

/** Costs of scrypt: 128 * n * r bytes of memory. */
export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

/** 128 MiB and half a second or so: a request for it must end in time on a slow machine too. */
export const STANDARD_COST: ScryptCost = { n: 2 ** 17, r: 8, p: 1 };

/** Bounds on the costs that a key file may ask for, so that a file cannot stop the node. */
const MAX_SCRYPT_MEMORY = 2 ** 29;
const MAX_SCRYPT_PARALLELISM = 16;
const MAX_PBKDF2_ITERATIONS = 10_000_000;

const derive = {
  scrypt: promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt),
  pbkdf2: promisify(pbkdf2),
};

/** Why the costs are not accepted, or undefined when they are. */
export function costProblem(derivation: KeyDerivation): string | undefined {
  if (derivation.length < 32 || derivation.length > 64) return "derived key length";
  if (derivation.kdf === "pbkdf2") {
    return within(derivation.iterations, MAX_PBKDF2_ITERATIONS) ? undefined : "iteration count";
  }
  const { n, r, p } = derivation;
  if (!within(n, 2 ** 22) || n < 2 || (n & (n - 1)) !== 0) return "scrypt n";
  if (!within(r, 1024) || 128 * n * r > MAX_SCRYPT_MEMORY) return "scrypt r";
  return within(p, MAX_SCRYPT_PARALLELISM) ? undefined : "scrypt p";
}

function within(value: number, maximum: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= maximum;
}

/** Runs in the thread pool of the runtime, or in small steps. */
export async function deriveKey(passphrase: string, derivation: KeyDerivation): Promise<Uint8Array> {
  const { salt, length } = derivation;
  if (derivation.kdf === "pbkdf2") {
    return derive.pbkdf2(utf8(passphrase), salt, derivation.iterations, length, "sha256");
  }
  const { n, r, p } = derivation;
  // The platform insists on n < 2^(16 r), as the definition of scrypt does; the example of the file format does not.
  if (n >= 2 ** (16 * r)) return scryptAsync(utf8(passphrase), salt, { N: n, r, p, dkLen: length, maxmem: 2 ** 30 });
  // memory besides the main array: p blocks and a little
  const maxmem = 128 * n * r + 256 * r * p + 2 ** 20;
  return derive.scrypt(utf8(passphrase), salt, length, { N: n, r, p, maxmem });
}
