import { keccak_256 } from "@noble/hashes/sha3.js";
import { createKeccak } from "hash-wasm";

/** One Keccak-256 implementation (original `01` padding, not NIST SHA3). */
export interface KeccakBackend {
  readonly name: "fast" | "portable";
  keccak256(data: Uint8Array): Uint8Array;
}

/** Pure TypeScript; also the oracle the fast backend is tested against. */
export const portableKeccak: KeccakBackend = { name: "portable", keccak256: (data) => keccak_256(data) };

/** WebAssembly backend, or undefined where WebAssembly does not load. */
export const fastKeccak: KeccakBackend | undefined = await loadFastKeccak();

async function loadFastKeccak(): Promise<KeccakBackend | undefined> {
  try {
    const hasher = await createKeccak(256);
    return { name: "fast", keccak256: (data) => hasher.init().update(data).digest("binary") };
  } catch {
    return undefined;
  }
}

const backend = fastKeccak ?? portableKeccak;

/** Keccak-256 of `data`, 32 bytes. */
export const keccak256: (data: Uint8Array) => Uint8Array = backend.keccak256;

/** keccak256 of no bytes: the code hash of an account without code. */
export const EMPTY_KECCAK: Uint8Array = keccak256(new Uint8Array(0));
/** keccak256(80), the root of an empty trie (`spec/01 §4.2`). */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80));
