import { pbkdf2, scrypt } from "node:crypto";
import { promisify } from "node:util";
import { utf8 } from "@cambium/primitives";
import { scryptAsync } from "@noble/hashes/scrypt.js";

/** Key derivation function of a key file, with its parameters. */
export type KeyDerivation =
  | { kdf: "scrypt"; n: number; r: number; p: number; salt: Uint8Array; length: number }
  | { kdf: "pbkdf2"; iterations: number; salt: Uint8Array; length: number };

/** Cost parameters of scrypt, which needs 128 * n * r bytes of memory. */
export interface ScryptCost {
  n: number;
  r: number;
  p: number;
}

/** Cost of 128 MiB and about half a second, also on slow machines, because JSON-RPC requests wait for it. */
export const STANDARD_COST: ScryptCost = { n: 2 ** 17, r: 8, p: 1 };

/** Bounds on the cost parameters of a key file, so that a malicious file cannot block the node. */
const MAX_SCRYPT_MEMORY = 2 ** 29;
const MAX_SCRYPT_PARALLELISM = 16;
const MAX_PBKDF2_ITERATIONS = 10_000_000;

const derive = {
  scrypt: promisify<Uint8Array, Uint8Array, number, object, Buffer>(scrypt),
  pbkdf2: promisify(pbkdf2),
};

/** The parameter that is out of bounds, or undefined if all are accepted. */
export function costProblem(derivation: KeyDerivation): string | undefined {
  if (!within(derivation.length, 64) || derivation.length < 32) return "derived key length";
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

/** Derives a key without blocking the event loop: in the thread pool of Node.js, or in small steps. */
export async function deriveKey(passphrase: string, derivation: KeyDerivation): Promise<Uint8Array> {
  const { salt, length } = derivation;
  if (derivation.kdf === "pbkdf2") {
    return derive.pbkdf2(utf8(passphrase), salt, derivation.iterations, length, "sha256");
  }
  const { n, r, p } = derivation;
  // Node.js enforces n < 2^(16 r), as scrypt's definition does, but the example of the file format exceeds it.
  if (n >= 2 ** (16 * r)) return scryptAsync(utf8(passphrase), salt, { N: n, r, p, dkLen: length, maxmem: 2 ** 30 });
  // The main array, p blocks and a margin.
  const maxmem = 128 * n * r + 256 * r * p + 2 ** 20;
  return derive.scrypt(utf8(passphrase), salt, length, { N: n, r, p, maxmem });
}
