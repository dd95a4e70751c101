import { CambiumError, decodeRlpList, LruCache, toHex } from "@cambium/primitives";
import { BlockHeader } from "@cambium/types";
import type { SyncChain } from "../interface.js";

/** Remembered blocks; events follow the import closely, however many imports are queued. */
const MAX_REMEMBERED = 8192;

/** A chain that records which blocks were imported through it. */
export type TrackedChain = SyncChain & {
  /** Whether the block was recently imported through this chain, so that a peer sent it. Others are locally produced. */
  cameFromPeers(hash: Uint8Array): boolean;
};

/**
 * Wraps the chain for synchronisation and gossip, which import blocks of peers. A new block that was not imported this way
 * is locally produced, and only such a block is sent to peers whole.
 */
export function trackImports<T extends SyncChain>(chain: T): T & TrackedChain {
  const offered = new LruCache<string, true>(MAX_REMEMBERED);
  const own = {
    import(encoded: Uint8Array) {
      const hash = hashOf(encoded, chain);
      if (hash !== undefined) offered.set(hash, true);
      return chain.import(encoded);
    },
    cameFromPeers: (hash: Uint8Array) => offered.has(toHex(hash)),
  };
  return new Proxy(chain, {
    get(target, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(target, key);
      return typeof value === "function" ? bound(target, key, value) : value;
    },
  }) as T & TrackedChain;
}

const bindings = new WeakMap<object, Map<PropertyKey, unknown>>();

/** A method of the target, bound once: the chain's readers are called often. */
function bound(target: object, key: PropertyKey, method: CallableFunction): unknown {
  const methods = bindings.get(target) ?? new Map<PropertyKey, unknown>();
  bindings.set(target, methods);
  if (!methods.has(key)) methods.set(key, method.bind(target));
  return methods.get(key);
}

function hashOf(encoded: Uint8Array, { network }: SyncChain): string | undefined {
  try {
    const header = decodeRlpList(encoded)[0];
    return header && toHex(BlockHeader.decode(header, network).hash);
  } catch (error) {
    if (error instanceof CambiumError) return undefined;
    throw error;
  }
}
