import { keccak_256 } from "@noble/hashes/sha3.js";
import { KECCAK_LAYOUT, keccakModule } from "./keccak-module.js";

/** One Keccak-256 implementation (original `01` padding, not NIST SHA3). */
export interface KeccakBackend {
  readonly name: "fast" | "portable";
  keccak256(data: Uint8Array): Uint8Array;
  /** See {@link keccak256View}. */
  keccak256View?(data: Uint8Array): DataView;
  /** See {@link KECCAK_INPUT} and {@link keccak256OfInput}. */
  readonly input?: Uint8Array;
  keccak256OfInput?(length: number, offset?: number): DataView;
  /** An empty state. */
  createState(): KeccakState;
}

/** A hash whose input arrives in parts. */
export interface KeccakState {
  update(data: Uint8Array): void;
  /** Returns the Keccak-256 of all input so far, 32 bytes; more may follow. */
  digest(): Uint8Array;
}

/** Pure TypeScript; also the oracle for the fast backend's tests. */
export const portableKeccak: KeccakBackend = {
  name: "portable",
  keccak256: (data) => keccak_256(data),
  createState: () => {
    const state = keccak_256.create();
    return { update: (data) => void state.update(data), digest: () => state.clone().digest() };
  },
};

/** WebAssembly backend, undefined if WebAssembly does not load. */
export const fastKeccak: KeccakBackend | undefined = loadFastKeccak();

/** Exports of the module in `keccak-module.ts`. */
interface KeccakExports {
  absorb(length: number, isFirst: number, isLast: number, offset: number): void;
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
  const { state, stateLength, block, input, capacity } = KECCAK_LAYOUT;
  const part = new Uint8Array(memory.buffer, input, capacity);
  const digest = new Uint8Array(memory.buffer, state, 32);
  const digestView = new DataView(memory.buffer, state, 32);
  const lanes = new Uint8Array(memory.buffer, state, stateLength);

  /** Keeps its lanes, and the bytes that do not fill a block yet, outside of the module's memory. */
  class ModuleState implements KeccakState {
    private readonly kept = new Uint8Array(stateLength + block);
    private partial = 0;

    update(data: Uint8Array): void {
      let rest = data;
      while (this.partial + rest.length >= block) {
        const length = Math.floor(Math.min(capacity, this.partial + rest.length) / block) * block;
        this.load();
        part.set(rest.subarray(0, length - this.partial), this.partial);
        absorb(length, 0, 0, 0);
        this.kept.set(lanes);
        rest = rest.subarray(length - this.partial);
        this.partial = 0;
      }
      this.kept.set(rest, stateLength + this.partial);
      this.partial += rest.length;
    }

    digest(): Uint8Array {
      this.load();
      absorb(this.partial, 0, 1, 0);
      return new Uint8Array(digest);
    }

    private load(): void {
      lanes.set(this.kept.subarray(0, stateLength));
      part.set(this.kept.subarray(stateLength, stateLength + this.partial));
    }
  }

  const hash = (data: Uint8Array): void => {
    let rest = data;
    let isFirst = 1;
    for (; rest.length > capacity; rest = rest.subarray(capacity), isFirst = 0) {
      part.set(rest.subarray(0, capacity));
      absorb(capacity, isFirst, 0, 0);
    }
    part.set(rest);
    absorb(rest.length, isFirst, 1, 0);
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
    input: part,
    keccak256OfInput: (length, offset = 0) => {
      absorb(length, 1, 1, offset);
      return digestView;
    },
    createState: () => new ModuleState(),
  };
}

const backend = fastKeccak ?? portableKeccak;

/** Keccak-256 of `data`, 32 bytes. */
export const keccak256: (data: Uint8Array) => Uint8Array = backend.keccak256;

/** A new {@link KeccakState}. */
export const createKeccak: () => KeccakState = backend.createState;

const digest = new Uint8Array(32);
const digestWords = new DataView(digest.buffer);

/** Position to which pi moves lane ((x + 3 y) mod 5, x). */
export const keccak256View: (data: Uint8Array) => DataView =
  fastKeccak?.keccak256View ??
  ((data) => {
    digest.set(keccak256(data));
    return digestWords;
  });

/**
 * Memory into which a message can be written before {@link keccak256OfInput}, without a separate array. Every computed
 * hash overwrites it; the hash of a message at an offset overwrites only the bytes after the offset.
 */
export const KECCAK_INPUT: Uint8Array = fastKeccak?.input ?? new Uint8Array(KECCAK_LAYOUT.capacity);

/** Like {@link keccak256View}, for bytes of {@link KECCAK_INPUT}: the first ones, or those at an offset. */
export const keccak256OfInput: (length: number, offset?: number) => DataView =
  fastKeccak?.keccak256OfInput ??
  ((length, offset = 0) => keccak256View(KECCAK_INPUT.subarray(offset, offset + length)));

/** keccak256 of no bytes: the code hash of an account without code. */
export const EMPTY_KECCAK: Uint8Array = keccak256(new Uint8Array(0));
/** keccak256(80), the root of an empty trie (`spec/01 §4.2`). */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80));
