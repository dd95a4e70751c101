import { keccak_256 } from "@noble/hashes/sha3.js";
import { KECCAK_LAYOUT, keccakModule } from "./keccak-module.js";

/** One Keccak-256 implementation (original `01` padding, not NIST SHA3). */
export interface KeccakBackend {
  readonly name: "fast" | "portable";
  keccak256(data: Uint8Array): Uint8Array;
  /** See {@link keccak256View}. */
  keccak256View?(data: Uint8Array): DataView;
}

/** Pure TypeScript; also the oracle for the fast backend's tests. */
export const portableKeccak: KeccakBackend = { name: "portable", keccak256: (data) => keccak_256(data) };

/** WebAssembly backend, undefined if WebAssembly does not load. */
export const fastKeccak: KeccakBackend | undefined = loadFastKeccak();

/** Exports of the module in `keccak-module.ts`. */
interface KeccakExports {
  absorb(length: number, isFirst: number, isLast: number): void;
  memory: { buffer: ArrayBuffer };
}

/** The part of the WebAssembly API used here; neither the language's types nor Node's declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

function loadFastKeccak(): KeccakBackend | undefined {
  try {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(keccakModule()));
    return { name: "fast", ...overModule(instance.exports as KeccakExports) };
  } catch {
    return undefined;
  }
}

function overModule({ absorb, memory }: KeccakExports): Required<Omit<KeccakBackend, "name">> {
  const { state, input, capacity } = KECCAK_LAYOUT;
  const part = new Uint8Array(memory.buffer, input, capacity);
  const digest = new Uint8Array(memory.buffer, state, 32);
  const digestView = new DataView(memory.buffer, state, 32);
  const hash = (data: Uint8Array): void => {
    let rest = data;
    let isFirst = 1;
    for (; rest.length > capacity; rest = rest.subarray(capacity), isFirst = 0) {
      part.set(rest.subarray(0, capacity));
      absorb(capacity, isFirst, 0);
    }
    part.set(rest);
    absorb(rest.length, isFirst, 1);
  };
  return {
    keccak256: (data) => {
      hash(data);
      return new Uint8Array(digest);
    },
    keccak256View: (data) => {
      hash(data);
      return digestView;
    },
  };
}

const backend = fastKeccak ?? portableKeccak;

/** Keccak-256 of `data`, 32 bytes. */
export const keccak256: (data: Uint8Array) => Uint8Array = backend.keccak256;

const digest = new Uint8Array(32);
const digestWords = new DataView(digest.buffer);

/**
 * Keccak-256 of `data` as a view of 32 bytes, so that its words can be read without allocating an array. Valid until
 * the next call.
 */
export const keccak256View: (data: Uint8Array) => DataView =
  fastKeccak?.keccak256View ??
  ((data) => {
    digest.set(keccak256(data));
    return digestWords;
  });

/** keccak256 of no bytes: the code hash of an account without code. */
export const EMPTY_KECCAK: Uint8Array = keccak256(new Uint8Array(0));
/** keccak256(80), the root of an empty trie (`spec/01 §4.2`). */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80));
